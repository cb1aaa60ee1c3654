// For tests: a linear model that any number of replicas train, with exact numbers.
#ifndef LOCKSTEP_REFERENCE_TRAINING_LINEAR_TRAINING_H_
#define LOCKSTEP_REFERENCE_TRAINING_LINEAR_TRAINING_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "reference/distribute/strategy.h"
#include "reference/losses/loss.h"
#include "reference/losses/regression_losses.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/model/model.h"

namespace lockstep {

// The result of a run. The inputs are small integers, and batch size and learning
// rate are powers of two, so that weights are exact in any order of additions.
struct LinearOutcome {
  std::vector<float> losses;  // by step, summed over the replicas
  std::vector<float> weights;
  double mean = 0;  // of the examples' losses
};

class LinearTraining {
 public:
  explicit LinearTraining(Strategy& strategy);

  // Trains one pass over n examples of y = 2 a - b, in batches of 4.
  LinearOutcome Train(int64_t n);

 private:
  Tensor Step(const Tensor& x, const Tensor& y);

  Strategy& strategy_;
  Sequential model_;
  std::unique_ptr<Sgd> optimizer_;
  std::unique_ptr<Mean> mean_;
  losses::MeanSquaredError loss_{{.reduction = losses::Reduction::kNone}};
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_LINEAR_TRAINING_H_
