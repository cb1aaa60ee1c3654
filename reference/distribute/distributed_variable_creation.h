// What MakeVariable does under a strategy that mirrors variables.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTED_VARIABLE_CREATION_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTED_VARIABLE_CREATION_H_

#include "reference/autodiff/variable.h"
#include "reference/distribute/replica_group.h"

namespace lockstep::distribute_internal {

// A SyncOnReadVariable for kOnRead, a MirroredVariable for kAuto and kOnWrite.
// In replica context all replicas create it together and get the same one; its
// initial value is replica 0's. Errors: InvalidArgument for kNone, for MEAN of
// an integer; FailedPrecondition where replicas name it differently.
VariablePtr CreateDistributedVariable(const ReplicaGroupPtr& group,
                                      const VariableOptions& options);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTED_VARIABLE_CREATION_H_
