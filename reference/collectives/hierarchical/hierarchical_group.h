// Groups of the replicas of all workers, made of those that are here and of one
// group between the workers.
//
//   // On worker w of 2 with 2 replicas each:
//   const Topology topology({2, 2}, WorkerId(w));
//   auto here = std::make_shared<Rendezvous>(2);
//   auto workers = std::make_shared<WorkerGroup>(between);   // rank w of 2
//   auto groups = MakeHierarchicalGroups(topology, here, workers);
//   groups[0]->rank();   // 0 on worker 0, 2 on worker 1; of 4
//
// A collective has three parts: all replicas here do theirs together (the sum
// of an all-reduce goes straight into what is sent), then the first one's
// thread calls the group between, then all take what came. A mean is divided
// once, by the replicas of all workers. What ranks of one worker get may share
// memory. Between GPUs of a worker there is no NCCL; `overlapped` waits.
//
// Errors are those of group.h, on the ranks of all workers: what goes wrong
// here reaches the other workers as WorkerGroup says, what goes wrong between
// them reaches every rank here. A rank whose thread leaves the collective with
// an error but the first kind, or Abort, finishes the group on all workers;
// after the first kind the ranks of a worker go on as those of its Rendezvous
// do.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_GROUP_H_

#include <memory>
#include <vector>

#include "reference/cluster/topology.h"
#include "reference/collectives/group.h"
#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/collectives/rendezvous.h"

namespace lockstep {

// A group for each replica that is here; ranks are ReplicaIds. Each uses the
// current device of its thread. REQUIRES: the rendezvous' ranks are the
// replicas here, the workers' ranks the topology's workers; the rendezvous is
// reset by its owner.
std::vector<std::unique_ptr<Group>> MakeHierarchicalGroups(
    const Topology& topology, std::shared_ptr<Rendezvous> here,
    std::shared_ptr<WorkerGroup> workers);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_GROUP_H_
