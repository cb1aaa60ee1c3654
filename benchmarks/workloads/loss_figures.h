// The losses of a task: of its steps in training, and of its test examples.
//
//   LossFigures losses;            // in the scope
//   losses.OfStep(part_of_loss);   // on each replica, after a step
//   losses.OfTest(per_example);    // on each replica
//   losses.Training();             // mean of the steps' losses
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_LOSS_FIGURES_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_LOSS_FIGURES_H_

#include <optional>

#include "reference/distribute/strategy.h"
#include "reference/metrics/metric.h"

namespace lockstep::benchmarks {

class LossFigures {
 public:
  // A replica's part of a step's loss: the parts add up.
  void OfStep(const Tensor& part) { training_.UpdateState(part); }
  // Losses of test examples; those of weight 0 do not count.
  void OfTest(const Tensor& losses,
              const std::optional<Tensor>& weights = std::nullopt) {
    test_.UpdateState(losses, weights);
  }

  // REQUIRES: called in the strategy's scope.
  double Training() const {
    return GetStrategy().num_replicas_in_sync() * training_.Result();
  }
  double Test() const { return test_.Result(); }

  void Reset() {
    training_.ResetState();
    test_.ResetState();
  }

 private:
  Mean training_{"train_loss"};
  Mean test_{"test_loss"};
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_LOSS_FIGURES_H_
