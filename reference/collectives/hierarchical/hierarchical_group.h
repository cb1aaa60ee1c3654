// Groups of the replicas of all workers, on top of a group of the workers.
//
//   // On worker w of 2 with 2 replicas each:
//   const Topology topology({2, 2}, WorkerId(w));
//   auto here = std::make_shared<Rendezvous>(2);
//   auto workers = std::make_shared<WorkerGroup>(between);   // rank w of 2
//   auto groups = MakeHierarchicalGroups(topology, here, workers);
//   groups[0]->rank();   // 0 on worker 0, 2 on worker 1; of 4
//
// A collective has three parts: the replicas of a worker reduce among
// themselves (an all-reduce sums straight into the buffer that is sent), then
// the first replica's thread calls the workers' group, then all replicas use
// its result. A mean is divided once, by the number of all replicas. The
// results of ranks on one worker may share memory. NCCL is not used between the
// GPUs of a worker; an overlapped all-reduce waits.
//
// Errors are those of group.h, on the ranks of all workers: a failure on this
// worker reaches the others as WorkerGroup says, a failure between workers
// reaches every rank here. An error other than the first kind, or Abort,
// finishes the group on all workers. After the first kind the ranks of a worker
// continue as those of its Rendezvous do.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_GROUP_H_

#include <memory>
#include <vector>

#include "reference/cluster/topology.h"
#include "reference/collectives/group.h"
#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/collectives/rendezvous.h"

namespace lockstep {

// Makes a group for each replica of this worker; its rank is the ReplicaId.
// Each uses the current device of its thread. REQUIRES: `here` has one rank per
// replica of this worker, `workers` one per worker of the topology; the owner
// of `here` resets it.
std::vector<std::unique_ptr<Group>> MakeHierarchicalGroups(
    const Topology& topology, std::shared_ptr<Rendezvous> here,
    std::shared_ptr<WorkerGroup> workers);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_GROUP_H_
