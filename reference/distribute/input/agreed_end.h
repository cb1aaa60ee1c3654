// Input of several workers: all of them have a step, or none.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_AGREED_END_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_AGREED_END_H_

#include <memory>
#include <vector>

#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/device/device.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {

// `inputs`, whose passes on all workers have as many steps as the longest. With
// 3 elements on worker 0 and 1 on worker 1, which have a replica each:
//
//   worker 0: ([0]) ([1]) ([2])     worker 1: ([3]) ([]) ([])
//
// Of the same dataset all begin the same pass, the chief's: a worker that has read
// it more often than the others, or holds it in a cache, takes the numbers of
// passes from worker 0, and under the policies DATA and HINT seeds and what caches
// are filled by, too.
//
// A worker without data gets parts without rows, of the types and other
// dimensions that another worker has in that step. What reading a step throws on
// one worker is thrown on all of them, and that step is over for all. It takes
// one small collective a step, on the thread that asks for the step; all workers
// make and read their iterators in the same order. nullptr: one worker, whose
// inputs they are.
//
// Errors, of a step: those of WorkerGroup::AllGather; InvalidArgument where a
// worker has no data and another's have no batch axis; FailedPrecondition where
// workers divide the batches of one dataset, of which one has fewer than
// another: examples would be lost. Of a pass: FailedPrecondition where workers
// shard other data than each other, or by another policy. REQUIRES: a device a
// replica that is here.
DistributedDataset AgreeOnEnd(const DistributedDataset& inputs,
                              std::shared_ptr<WorkerGroup> workers,
                              const std::vector<Device*>& devices);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_AGREED_END_H_
