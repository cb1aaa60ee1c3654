// A step's graph over all replicas of a strategy, with its own input and output
// tensors and the variables it was captured with.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_CAPTURED_STEP_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_CAPTURED_STEP_H_

#include <functional>
#include <memory>
#include <vector>

#include "reference/autodiff/variable_uses.h"
#include "reference/device/capture_session.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

using StepFunction = std::function<Structure(const Structure&)>;

class CapturedStep {
 public:
  // Captures function(batch) on every replica, without running it; replica r is
  // on devices[r]. Errors: what the function throws; FailedPrecondition where it
  // does what no graph can hold. Then nothing has changed but what the host did.
  // REQUIRES: the batch is numbers, devices are GPUs; the function has run once.
  CapturedStep(Strategy& strategy, const std::vector<Device*>& devices,
               const StepFunction& function,
               const PerReplica<Structure>& batch);

  const VariableUses& variables() const { return variables_; }

  // Queues the graph with this batch; gives what the function returned, in
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
  const ReplicaGroupPtr group_;
  const std::vector<Device*> devices_;
  VariableUses variables_;
  PerReplica<Structure> inputs_;
  PerReplica<Structure> results_;
  CapturedWork work_;
};

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_CAPTURED_STEP_H_
