// What tells one input of a step from another: form, shapes and types, replica
// by replica.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_SIGNATURE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_SIGNATURE_H_

#include <vector>

#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

class StepSignature {
 public:
  explicit StepSignature(const PerReplica<Structure>& batch);

  bool Matches(const PerReplica<Structure>& batch) const;

 private:
  std::vector<SpecStructure> specs_;  // one a replica
};

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_SIGNATURE_H_
