// A training step as a CUDA graph: captured once, then launched as a whole.
//
//   StepGraph step(strategy, [&](const Structure& batch) {
//     return TrainStep(batch);        // a Tensor, a Structure or nothing
//   });
//   for (const PerReplica<Structure>& batch : train) {
//     PerReplica<Tensor> losses = step.Run(batch);
//   }
//
// Run returns the same bits as strategy.Run(function, batch). On GPUs the first
// batch of a signature (form, shapes, types) runs in this way, the second one
// is captured, over all replicas at once, and from then on the host enqueues
// one graph per step. On CPUs, and for strings, every step runs through
// strategy.Run.
//
// With a signature, the spec of the data, it refuses other batches:
//
//   StepGraph step(strategy, Step, {.signature = train.element_spec()});
//
// While it is captured the function may do what tf.function allows:
// - its tensors come from its argument and from variables, which it changes in
//   place; a tensor it got elsewhere is read where it lay then, and must live
//   as long as this. Variables are made before, or in the first step;
// - what it does on the host, counting or printing, it does in the first two
//   steps of a signature only;
// - it reads nothing on the host and waits for nothing: FailedPrecondition, led
//   by "[StepGraph]", and nothing is changed.
//
// A variable that was assigned outside of the step is read at its address. If a
// variable moved, or another reference to its value exists while the step
// changes it, the step runs eagerly and is captured again. Numbers of a batch
// in host memory are copied to the replica's GPU.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/autodiff/variable_uses.h"
#include "reference/device/capture_session.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// Distinguishes inputs of a step: form, shapes and types on each replica.
class StepSignature {
 public:
  explicit StepSignature(const PerReplica<Structure>& batch);

  bool Matches(const PerReplica<Structure>& batch) const;

 private:
  std::vector<SpecStructure> specs_;  // one per replica
};

using StepFunction = std::function<Structure(const Structure&)>;

// A step's graph over all replicas of a strategy, with its own input and output
// tensors and the variables it was captured with.
class CapturedStep {
 public:
  // Captures function(batch) on every replica, without running it; replica r is
  // on devices[r]. Errors: what the function throws; FailedPrecondition if it
  // does something that cannot be captured. Then only effects on the host
  // remain.
  // REQUIRES: the batch is numbers, devices are GPUs; the function has run
  // once.
  CapturedStep(Strategy& strategy, const std::vector<Device*>& devices,
               const StepFunction& function,
               const PerReplica<Structure>& batch);

  const VariableUses& variables() const { return variables_; }

  // Enqueues the graph with this batch and returns the function's result, in
  // new memory. Errors: Internal if the launch fails.
  // REQUIRES: the batch has the first one's signature; the variables are in
  // place.
  PerReplica<Structure> Launch(const PerReplica<Structure>& batch) const;

 private:
  void Capture(Strategy& strategy, const StepFunction& function);
  Structure RunOnce(const StepFunction& function, const Structure& input,
                    PrivateMemory& memory);
  void SetInputs(const PerReplica<Structure>& batch) const;

  // Keeps the communicators of captured collectives alive as long as the graph.
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
  // How many signatures keep their graphs, each with the memory of a step; the
  // least recently used one is dropped. REQUIRES: at least 1.
  int max_graphs = 8;
  // What every batch must fit: form, types and known dimensions on each
  // replica. Without it, any batch will do.
  std::optional<PerReplica<SpecStructure>> signature = std::nullopt;
};

// Counts of steps by how they ran.
struct StepGraphStatistics {
  int64_t eager_steps = 0;
  int64_t captures = 0;
  int64_t launches = 0;
  // Different signatures of batches; 1 if the options have one for all. One that
  // comes again behind 128 others counts again.
  int64_t signatures = 0;
};

namespace distribute_internal {

// A step that runs by graphs if possible, and eagerly otherwise.
//
// The first input of a signature runs eagerly, which makes variables, optimizer
// slots, library plans and workspaces. The second one is captured and launched,
// later ones are launched. If variables move, a step runs eagerly again and the
// next one is captured again.
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
    bool moves_variables = false;  // its graph would be valid only once
  };

  void CheckSignature(const PerReplica<Structure>& batch) const;
  void CountSignature(const PerReplica<Structure>& batch);
  bool CanCapture(const PerReplica<Structure>& batch) const;
  PerReplica<Structure> RunByGraph(const PerReplica<Structure>& batch);
  Entry& EntryFor(const PerReplica<Structure>& batch);
  PerReplica<Structure> RunEagerly(Entry& entry,
                                   const PerReplica<Structure>& batch);
  // Retries after a lack of memory.
  std::unique_ptr<CapturedStep> CaptureStep(const PerReplica<Structure>& batch);
  PerReplica<Structure> Capture(Entry& entry,
                                const PerReplica<Structure>& batch);
  PerReplica<Structure> Launch(Entry& entry,
                               const PerReplica<Structure>& batch);
  PerReplica<Structure> OnReplicas(const PerReplica<Structure>& batch) const;

  Strategy& strategy_;
  const StepFunction function_;
  const StepGraphOptions options_;
  const std::vector<Device*> devices_;   // one per replica
  std::list<Entry> entries_;             // most recently used first
  std::list<StepSignature> signatures_;  // the same, of the last batches
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

  // Errors: those of Strategy::Run and of the function; InvalidArgument for a
  // batch that does not fit the signature; FailedPrecondition for what cannot
  // be captured; Internal if the GPU rejects the graph. Run may be called
  // again after any of them.
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
