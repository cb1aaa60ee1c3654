// RMSprop as Keras computes it:
//
//   velocity = rho * velocity + (1 - rho) * gradient^2
//   variable -= learning_rate * gradient / sqrt(velocity + epsilon)
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_RMS_PROP_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_RMS_PROP_H_

#include "reference/optimizers/optimizer.h"

namespace lockstep {

struct RmsPropConfig {
  LearningRate learning_rate = 0.001;
  double rho = 0.9;
  double epsilon = 1e-7;
  OptimizerOptions options = {.name = "rmsprop"};
};

class RmsProp : public Optimizer {
 public:
  explicit RmsProp(const RmsPropConfig& config = {});

 protected:
  void Update(const std::vector<Item>& items, double learning_rate,
              int64_t step) override;
  void UpdateOnGpu(const std::vector<Item>& items,
                   const kernels::GpuStep& step) override;

 private:
  double rho_;
  double epsilon_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_RMS_PROP_H_
