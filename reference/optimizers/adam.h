// Adam (Kingma and Ba, arXiv 1412.6980) as Keras computes it (formula in
// kernels/adam_update.h).
//
//   Adam optimizer;                              // rate 0.001
//   Adam faster({.learning_rate = 0.01});
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_ADAM_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_ADAM_H_

#include "reference/kernels/adam_update.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

struct AdamConfig {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  OptimizerOptions options = {.name = "adam"};
};

class Adam : public Optimizer {
 public:
  explicit Adam(const AdamConfig& config = {});

 protected:
  void Update(const std::vector<Item>& items, double learning_rate,
              int64_t step) override;
  void UpdateOnGpu(const std::vector<Item>& items,
                   const kernels::GpuStep& step) override;

 private:
  kernels::AdamOptions options_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_ADAM_H_
