// Adagrad as Keras computes it:
//
//   accumulator += gradient^2                  (0.1 at first)
//   variable -= learning_rate * gradient / sqrt(accumulator + epsilon)
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_ADAGRAD_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_ADAGRAD_H_

#include "reference/optimizers/optimizer.h"

namespace lockstep {

struct AdagradConfig {
  LearningRate learning_rate = 0.001;
  double initial_accumulator_value = 0.1;
  double epsilon = 1e-7;
  OptimizerOptions options = {.name = "adagrad"};
};

class Adagrad : public Optimizer {
 public:
  explicit Adagrad(const AdagradConfig& config = {});

 protected:
  void Update(const std::vector<Item>& items, double learning_rate,
              int64_t step) override;
  void UpdateOnGpu(const std::vector<Item>& items,
                   const kernels::GpuStep& step) override;

 private:
  double epsilon_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_ADAGRAD_H_
