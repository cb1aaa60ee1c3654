// The figures of a task that classifies: its losses, and the share of examples
// whose class is predicted rightly, in training and of the test.
//
//   ClassFigures figures;                                // in the scope
//   figures.OfStep(loss, labels, logits);                // on each replica
//   figures.OfTest(losses, labels, logits);
//   figures.Get().test_quality;                          // 0.91
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_CLASS_FIGURES_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_CLASS_FIGURES_H_

#include <optional>

#include "benchmarks/workloads/loss_figures.h"
#include "benchmarks/workloads/task.h"
#include "reference/metrics/accuracy.h"

namespace lockstep::benchmarks {

class ClassFigures {
 public:
  using Weights = std::optional<Tensor>;

  // A replica's part of a step: its loss, and what it predicted.
  void OfStep(const Tensor& loss, const Tensor& labels, const Tensor& logits,
              const Weights& weights = std::nullopt) {
    losses_.OfStep(loss);
    training_.UpdateState(labels, logits, weights);
  }
  // Test examples; those of weight 0 do not count.
  void OfTest(const Tensor& losses, const Tensor& labels, const Tensor& logits,
              const Weights& weights = std::nullopt) {
    losses_.OfTest(losses, weights);
    test_.UpdateState(labels, logits, weights);
  }

  // REQUIRES: called in the strategy's scope.
  TaskFigures Get() const {
    return {.loss = losses_.Training(),
            .quality = training_.Result(),
            .test_loss = losses_.Test(),
            .test_quality = test_.Result()};
  }

  void Reset() {
    losses_.Reset();
    training_.ResetState();
    test_.ResetState();
  }

 private:
  LossFigures losses_;
  SparseCategoricalAccuracy training_;
  SparseCategoricalAccuracy test_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_CLASS_FIGURES_H_
