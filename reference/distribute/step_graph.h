// A training step as a CUDA graph: captured once, then launched as a whole.
//
//   StepGraph step(strategy, [&](const Structure& batch) {
//     return TrainStep(batch);        // a Tensor, a Structure or nothing
//   });
//   for (const PerReplica<Structure>& batch : train) {
//     PerReplica<Tensor> losses = step.Run(batch);
//   }
//
// Run gives what strategy.Run(function, batch) gives, the same bits. On GPUs a
// batch of a new signature (form, shapes, types) runs so, the second one is
// captured, over all replicas at once, and from then on the host queues one
// graph a step. On CPUs, and for strings, every step runs through strategy.Run.
//
// What the function may do while it is captured is what tf.function allows:
// - its tensors come from its argument and from variables, which it changes in
//   place; a tensor it got elsewhere is read where it lay then, and must live
//   as long as this. Variables are made before, or in the first step;
// - what it does on the host, counting or printing, it does in the first two
//   steps of a signature only;
// - it reads nothing on the host and waits for nothing: FailedPrecondition, led
//   by "[StepGraph]", and nothing is changed.
//
// A variable that was assigned from outside is read where it lies; one that
// moved, or whose value somebody holds while the step changes it, makes the
// step run eagerly and be captured again. Numbers of a batch that lie with the
// host come to the step on its replica's GPU.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_H_

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "reference/distribute/graphed_step.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"

namespace lockstep {

// Used by one thread at a time.
template <typename Result>
requires std::same_as<Result, Tensor> || std::same_as<Result, Structure> ||
    std::is_void_v<Result>
class StepGraph {
 public:
  using Function = std::function<Result(const Structure&)>;

  // Errors: InvalidArgument for options out of range.
  // REQUIRES: the strategy outlives this.
  StepGraph(Strategy& strategy, Function function,
            const StepGraphOptions& options = {})
      : step_(strategy, StepFunctionOf(std::move(function)), options) {}

  // Errors: those of Strategy::Run and of the function; FailedPrecondition, see
  // above; Internal when the GPU does not take the graph. After any of them the
  // next call may be made.
  auto Run(const PerReplica<Structure>& batch) {
    PerReplica<Structure> results = step_.Run(batch);
    if constexpr (std::is_same_v<Result, Structure>) {
      return results;
    } else if constexpr (std::is_same_v<Result, Tensor>) {
      return results.Map([](const Structure& result) { return result.leaf(); });
    }
  }

  const StepGraphStatistics& statistics() const { return step_.statistics(); }

 private:
  static distribute_internal::StepFunction StepFunctionOf(Function function) {
    if constexpr (std::is_void_v<Result>) {
      return [function = std::move(function)](const Structure& batch) {
        function(batch);
        return Structure();  // no tensor
      };
    } else {
      return function;
    }
  }

  distribute_internal::GraphedStep step_;
};

template <typename Function>
StepGraph(Strategy&, Function) -> StepGraph<
    std::decay_t<std::invoke_result_t<Function&, const Structure&>>>;
template <typename Function>
StepGraph(Strategy&, Function, const StepGraphOptions&) -> StepGraph<
    std::decay_t<std::invoke_result_t<Function&, const Structure&>>>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_H_
