// MakeVariable under a strategy that mirrors variables, and a check of the main
// invariant: all copies of a mirrored variable have the same bits.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_VARIABLES_DISTRIBUTED_VARIABLE_CREATION_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_VARIABLES_DISTRIBUTED_VARIABLE_CREATION_H_

#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/distribute/replica_context.h"

namespace lockstep::distribute_internal {

// A SyncOnReadVariable for kOnRead, a MirroredVariable for kAuto and kOnWrite.
// In replica context all replicas create it together and get the same variable,
// with replica 0's initial value. Errors: InvalidArgument for kNone and for
// MEAN of an integer; FailedPrecondition if replicas name it differently.
VariablePtr CreateDistributedVariable(const ReplicasPtr& replicas,
                                      const VariableOptions& options);

}  // namespace lockstep::distribute_internal

namespace lockstep {

// Compares all copies of a mirrored variable bit by bit with copy 0. Ignores
// variables whose copies may differ, and plain ones. Errors: Internal with the
// variable, the replica and the first element that differs. REQUIRES: no
// replica is running.
void CheckReplicasEqual(const Variable& variable);
void CheckReplicasEqual(const std::vector<VariablePtr>& variables);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_VARIABLES_DISTRIBUTED_VARIABLE_CREATION_H_
