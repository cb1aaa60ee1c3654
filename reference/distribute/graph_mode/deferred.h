// A computation that runs each time its result is evaluated: a step of a
// program that is built before it runs, as in TensorFlow 1.
//
//   InputIterator inputs = MakeDatasetIterator(strategy, dataset.Batch(128));
//   const auto losses = ExperimentalRun(strategy, TrainStep, inputs);
//   const auto loss = losses.Then([&](const PerReplica<Tensor>& parts) {
//     return strategy.Reduce(ReduceOp::kSum, parts);
//   });                                   // nothing has run yet
//   inputs.Initialize();
//   loss.Evaluate();                      // one step: its loss, and its update
//   loss.Evaluate();                      // the next
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPH_MODE_DEFERRED_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPH_MODE_DEFERRED_H_

#include <functional>
#include <type_traits>
#include <utility>

#include "reference/distribute/graph_mode/input_iterator.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"
#include "reference/tensor/nest.h"

namespace lockstep {

template <typename T>
class Deferred {
 public:
  explicit Deferred(std::function<T()> evaluate)
      : evaluate_(std::move(evaluate)) {}

  // Runs everything that it depends on once, and returns the result.
  T Evaluate() const { return evaluate_(); }

  // Returns function(result) at each evaluation.
  template <typename Function>
  auto Then(Function function) const {
    using Result = std::decay_t<std::invoke_result_t<Function, T>>;
    return Deferred<Result>(
        [evaluate = evaluate_, function] { return function(evaluate()); });
  }

 private:
  std::function<T()> evaluate_;
};

// Each evaluation runs `step` on every replica with its part of the iterator's
// next element. REQUIRES: the strategy outlives it. Errors, of an evaluation:
// those of InputIterator::GetNext and Strategy::Run.
template <typename Function>
auto ExperimentalRun(Strategy& strategy, Function step,
                     const InputIterator& inputs) {
  using Result = std::decay_t<std::invoke_result_t<Function, const Structure&>>;
  return Deferred<PerReplica<Result>>([&strategy, step, inputs] {
    return strategy.Run(step, inputs.GetNext());
  });
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPH_MODE_DEFERRED_H_
