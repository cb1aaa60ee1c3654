// What all workers do together in cross-replica context: on the thread that is in
// a strategy's scope, or on that of a merge call.
//
// Every worker makes the same calls in the same order. Errors of all: what one
// worker's part throws, on all workers; FailedPrecondition where they call
// different things; those of a group (collectives/group.h).
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

// ReduceOverReplicas for the replicas of all workers, those here with `values`;
// the result lies on the first replica's device, the same bits on all workers.
Tensor ReduceOverAll(const Replicas& replicas, std::string_view operation,
                     ReduceOp op, const std::vector<Tensor>& values,
                     const ReduceAxes& axes);

// All replicas' values joined along `axis`, in order.
Tensor GatherFromAll(const Replicas& replicas,
                     const std::vector<Tensor>& values, int axis);

// What replica 0 has, where each worker brings its first replica's. `name` is
// what it is a value of. Errors also: FailedPrecondition where workers name it
// differently; InvalidArgument for types or shapes that differ.
Tensor ChiefsValue(const Replicas& replicas, std::string_view operation,
                   std::string_view name,
                   const std::function<Tensor()>& first_value);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_WORKER_COLLECTIVES_H_
