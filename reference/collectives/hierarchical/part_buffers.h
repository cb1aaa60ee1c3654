// The parts of a reduce-scatter over several workers: those for the replicas of
// one worker lie in one buffer, which is what that worker is sent.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_PART_BUFFERS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_PART_BUFFERS_H_

#include "reference/cluster/topology.h"
#include "reference/collectives/group.h"

namespace lockstep::collectives_internal {

// Errors: InvalidArgument unless there is a part for every replica of all
// workers, and all are of one type.
void CheckParts(const Topology& topology, const TensorList& parts);

// One buffer per worker, on the current device, and a view for each part.
// REQUIRES: parts that have been checked.
TensorList MakePartBuffers(const Topology& topology, const TensorList& parts,
                           TensorList* views);

// All workers' sum of their buffers for this one. Workers of which one sums and
// another takes the mean find out: a mean's buffers are sent as columns.
Tensor ExchangeParts(Group& group, ReduceOp op, const TensorList& buffers,
                     const CollectiveOptions& options);

// The replica's part of this worker's sums, divided for a mean, on the current
// device. `parts` say how large all are.
Tensor TakePart(ReduceOp op, const Topology& topology, LocalIndex replica,
                const Tensor& sums, const TensorList& parts);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_PART_BUFFERS_H_
