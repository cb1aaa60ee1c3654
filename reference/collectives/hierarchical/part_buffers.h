// The parts of a reduce-scatter over several workers. The parts for the
// replicas of one worker share a buffer, which is sent to that worker.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_PART_BUFFERS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_PART_BUFFERS_H_

#include "reference/cluster/topology.h"
#include "reference/collectives/group.h"

namespace lockstep::collectives_internal {

// Errors: InvalidArgument unless there is a part for every replica of all
// workers and all parts have one dtype.
void CheckParts(const Topology& topology, const TensorList& parts);

// Makes one buffer per worker, on the current device, and a view for each part.
// REQUIRES: CheckParts(topology, parts).
TensorList MakePartBuffers(const Topology& topology, const TensorList& parts,
                           TensorList* views);

// Returns the sum of all workers' buffers for this one. A mean sends its
// buffers as columns, so that workers detect a mismatched operation.
Tensor ExchangeParts(Group& group, ReduceOp op, const TensorList& buffers,
                     const CollectiveOptions& options);

// Returns the replica's part of this worker's sums, divided for a mean, on the
// current device. `parts` have the shapes of all parts.
Tensor TakePart(ReduceOp op, const Topology& topology, LocalIndex replica,
                const Tensor& sums, const TensorList& parts);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_PART_BUFFERS_H_
