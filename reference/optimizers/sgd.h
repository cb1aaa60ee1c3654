// Gradient descent, with momentum and Nesterov's variant, as Keras computes it
// (formulas in kernels/sgd_update.h).
//
//   Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9});
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_SGD_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_SGD_H_

#include "reference/kernels/sgd_update.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

struct SgdConfig {
  LearningRate learning_rate = 0.01;
  double momentum = 0.0;
  bool nesterov = false;
  OptimizerOptions options = {.name = "SGD"};
};

class Sgd : public Optimizer {
 public:
  // Errors: InvalidArgument for momentum outside [0, 1].
  explicit Sgd(const SgdConfig& config = {});

 protected:
  void Update(const std::vector<Item>& items, double learning_rate,
              int64_t step) override;
  void UpdateOnGpu(const std::vector<Item>& items,
                   const kernels::GpuStep& step) override;

 private:
  kernels::SgdOptions options_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_SGD_H_
