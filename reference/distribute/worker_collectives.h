// Collectives of all workers in cross-replica context: on a thread in a
// strategy's scope, or in a merge call.
//
// All workers must make the same calls in the same order. Errors of all
// functions: what one worker's part throws, on all workers; FailedPrecondition
// if they make different calls; those of a group (collectives/group.h).
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_WORKER_COLLECTIVES_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_WORKER_COLLECTIVES_H_

#include <functional>
#include <string_view>
#include <vector>

#include "reference/collectives/reduce_op.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/replica_context.h"
#include "reference/tensor/tensor.h"

namespace lockstep::distribute_internal {

// ReduceOverReplicas for the replicas of all workers; `values` are those of the
// local replicas. The result is on the first replica's device, with the same
// bits on all workers.
Tensor ReduceOverAll(const Replicas& replicas, std::string_view operation,
                     ReduceOp op, const std::vector<Tensor>& values,
                     const ReduceAxes& axes);

// The values of all replicas concatenated along `axis`, in order.
Tensor GatherFromAll(const Replicas& replicas,
                     const std::vector<Tensor>& values, int axis);

// The value of replica 0 of all workers; each worker passes that of its first
// replica. `name` identifies the value. Errors also: FailedPrecondition if
// workers use different names; InvalidArgument for types or shapes that differ.
Tensor ChiefsValue(const Replicas& replicas, std::string_view operation,
                   std::string_view name,
                   const std::function<Tensor()>& first_value);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_WORKER_COLLECTIVES_H_
