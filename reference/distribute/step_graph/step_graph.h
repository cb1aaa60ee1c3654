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
// captured, over all replicas at once, and from then on the host enqueues one
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
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/autodiff/variable_uses.h"
#include "reference/device/capture_session.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// What tells one input of a step from another: form, shapes and types, replica
// by replica.
class StepSignature {
 public:
  explicit StepSignature(const PerReplica<Structure>& batch);

  bool Matches(const PerReplica<Structure>& batch) const;

 private:
  std::vector<SpecStructure> specs_;  // one a replica
};

using StepFunction = std::function<Structure(const Structure&)>;

// A step's graph over all replicas of a strategy, with its own input and output
// tensors and the variables it was captured with.
class CapturedStep {
 public:
  // Captures function(batch) on every replica, without running it; replica r is
  // on devices[r]. Errors: what the function throws; FailedPrecondition where
  // it does what no graph can hold. Then nothing has changed but what the host
  // did.
  // REQUIRES: the batch is numbers, devices are GPUs; the function has run
  // once.
  CapturedStep(Strategy& strategy, const std::vector<Device*>& devices,
               const StepFunction& function,
               const PerReplica<Structure>& batch);

  const VariableUses& variables() const { return variables_; }

  // Enqueues the graph with this batch; gives what the function returned, in
  // memory of its own. Errors: Internal when the launch fails.
  // REQUIRES: the batch has the first one's signature; the variables are in
  // place.
  PerReplica<Structure> Launch(const PerReplica<Structure>& batch) const;

 private:
  void Capture(Strategy& strategy, const StepFunction& function);
  Structure RunOnce(const StepFunction& function, const Structure& input,
                    PrivateMemory& memory);
  void SetInputs(const PerReplica<Structure>& batch) const;

  // The communicators that captured collectives use outlive the graph.
  const ReplicasPtr replicas_;
  const std::vector<Device*> devices_;
  VariableUses variables_;
  PerReplica<Structure> inputs_;
  PerReplica<Structure> results_;
  CapturedWork work_;
};

}  // namespace lockstep::distribute_internal

namespace lockstep {

struct StepGraphOptions {
  // false: every step runs eagerly.
  bool capture = true;
  // Signatures whose graphs are kept, each with the memory of a step; beyond
  // that the one used least recently goes. REQUIRES: at least 1.
  int max_graphs = 8;
};

// How often what was done.
struct StepGraphStatistics {
  int64_t eager_steps = 0;
  int64_t captures = 0;
  int64_t launches = 0;
};

namespace distribute_internal {

// A step that runs eagerly where it must and by its graphs where it can.
//
// An input of a new signature runs eagerly: that makes variables, optimizer
// slots, library plans and workspaces. The second one is captured and launched,
// later ones are launched; while variables do not stay where they were, a step
// runs eagerly again and is captured anew.
//
// Used by one thread at a time.
class GraphedStep {
 public:
  // REQUIRES: the strategy outlives this.
  GraphedStep(Strategy& strategy, StepFunction function,
              const StepGraphOptions& options);

  PerReplica<Structure> Run(const PerReplica<Structure>& batch);
  const StepGraphStatistics& statistics() const { return statistics_; }

 private:
  struct Entry {
    explicit Entry(const PerReplica<Structure>& batch) : signature(batch) {}

    StepSignature signature;
    std::unique_ptr<VariableUses> variables;  // of the last eager step
    std::unique_ptr<CapturedStep> captured;
    bool moves_variables = false;  // no graph of it would be right twice
  };

  bool CanCapture(const PerReplica<Structure>& batch) const;
  Entry& EntryFor(const PerReplica<Structure>& batch);
  PerReplica<Structure> RunEagerly(Entry& entry,
                                   const PerReplica<Structure>& batch);
  // Once more where there was no memory.
  std::unique_ptr<CapturedStep> CaptureStep(const PerReplica<Structure>& batch);
  PerReplica<Structure> Capture(Entry& entry,
                                const PerReplica<Structure>& batch);
  PerReplica<Structure> Launch(Entry& entry,
                               const PerReplica<Structure>& batch);
  PerReplica<Structure> OnReplicas(const PerReplica<Structure>& batch) const;

  Strategy& strategy_;
  const StepFunction function_;
  const StepGraphOptions options_;
  const std::vector<Device*> devices_;  // one a replica
  std::list<Entry> entries_;            // the one used last first
  StepGraphStatistics statistics_;
};

}  // namespace distribute_internal

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

  // Errors: those of Strategy::Run and of the function; FailedPrecondition for
  // what no graph can hold; Internal when the GPU does not take the graph.
  // After any of them the next call may be made.
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

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_H_
