// A step that runs eagerly where it must and by its graphs where it can.
//
// An input of a new signature runs eagerly: that makes variables, optimizer
// slots, library plans and workspaces. The second one is captured and launched,
// later ones are launched; while variables do not stay where they were, a step
// runs eagerly again and is captured anew.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPHED_STEP_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPHED_STEP_H_

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "reference/distribute/captured_step.h"
#include "reference/distribute/step_signature.h"
#include "reference/distribute/strategy.h"

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
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPHED_STEP_H_
