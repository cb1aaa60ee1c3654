// Input of several workers: either all of them have a step, or none.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_AGREED_END_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_AGREED_END_H_

#include <memory>
#include <vector>

#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/device/device.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {

// Makes each pass of `inputs` have the same number of steps on all workers,
// that of the longest. With 3 elements on worker 0 and 1 on worker 1, with one
// replica each:
//
//   worker 0: ([0]) ([1]) ([2])     worker 1: ([3]) ([]) ([])
//
// All workers begin the same pass of the same dataset, that of worker 0: the
// others take its counts of passes and, under the policies DATA and HINT, also
// its seeds and the orders that its caches have.
//
// A worker without data gets empty parts with the types and other dimensions
// that another worker has in that step. An error in reading a step on one
// worker is thrown on all of them, and that step is over for all. This takes
// one small collective per step, on the thread that reads the step; all workers
// must make and read their iterators in the same order. With nullptr, for a
// single worker, returns `inputs`.
//
// Errors, of a step: those of WorkerGroup::AllGather; InvalidArgument if a
// worker has no data and another's data have no batch axis; FailedPrecondition
// if workers divide the batches of one dataset and one has fewer batches than
// another, as examples would be lost. Of a pass: FailedPrecondition if workers
// shard different data, or by different policies. REQUIRES: one device per
// local replica.
DistributedDataset AgreeOnEnd(const DistributedDataset& inputs,
                              std::shared_ptr<WorkerGroup> workers,
                              const std::vector<Device*>& devices);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_AGREED_END_H_
