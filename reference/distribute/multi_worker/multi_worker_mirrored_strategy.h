// Synchronous training on the devices of several workers: every replica of every
// worker holds the same variables and applies the same updates.
//
//   // In each process that a launcher started: mpirun, srun, torchrun, TF_CONFIG
//   SetLogicalCpuDevices(2);
//   MultiWorkerMirroredStrategy strategy;   // waits for the other workers
//   strategy.num_replicas_in_sync();        // 4 with two workers
//   strategy.Run([] { ... });               // on the 2 here, and there
//
// All workers run the same program. Collectives of replicas include all
// workers, and a variable starts with the chief's value on all of them. All
// workers must call Reduce, Gather, reads of ON_READ variables and the next
// step of a distributed dataset in the same order. LocalResults, merge calls
// and PerReplica include only the local replicas.
//
// Errors, in addition to those of Strategy: after an error that all workers get
// from the same call (shapes that differ, input that cannot be read) the
// strategy can be used again. If a replica's function throws, or a worker is
// lost, the calls of all workers fail, with Unavailable, DeadlineExceeded or
// Cancelled where the cause was elsewhere. No replica has applied part of an
// update, and the strategy cannot be used again: restart all workers and
// restore.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_MULTI_WORKER_MIRRORED_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_MULTI_WORKER_MIRRORED_STRATEGY_H_

#include <memory>
#include <string>
#include <vector>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/topology.h"
#include "reference/collectives/group.h"
#include "reference/distribute/mirroring_strategy.h"
#include "reference/distribute/multi_worker/communication.h"

namespace lockstep {

struct MultiWorkerMirroredStrategyOptions {
  // Of this worker; empty: all GPUs, else all CPUs. Workers may have different
  // numbers of devices, but DistributeDataset requires equal ones.
  std::vector<std::string> devices = {};
  // 0: the number of cores divided by that of local replicas, at least 1.
  int threads_per_replica = 0;
  CommunicationOptions communication = {};
  ControlPlaneOptions control = {};
};

// Connected workers, and the number of this one.
struct ConnectedWorkers {
  Topology topology;
  std::shared_ptr<Group> between;
  // Reports lost workers; nullptr: only `between` does.
  std::shared_ptr<ControlPlane> control = nullptr;
};

// Connects this worker with the others of `cluster`, over gRPC and Gloo or MPI,
// for a strategy with the same options. When the last reference to the control
// plane is dropped, it announces that this worker has left, except during an
// exception: then the others find it lost. Errors: those of the resolver,
// ConnectControlPlane and MakeGroupOfWorkers.
ConnectedWorkers ConnectWorkers(
    const ClusterResolver& cluster,
    const MultiWorkerMirroredStrategyOptions& options = {});

class MultiWorkerMirroredStrategy final : public MirroringStrategy {
 public:
  // Connects with the workers that the environment, or a resolver, describes.
  // Errors: those of ConnectWorkers and MirroredStrategy.
  explicit MultiWorkerMirroredStrategy(
      const MultiWorkerMirroredStrategyOptions& options = {});
  explicit MultiWorkerMirroredStrategy(
      const ClusterResolver& cluster,
      const MultiWorkerMirroredStrategyOptions& options = {});
  // Uses workers that the caller has connected. Errors: those of
  // MirroredStrategy; InvalidArgument unless there is one device per local
  // replica and the group consists of the workers of the topology.
  explicit MultiWorkerMirroredStrategy(
      const ConnectedWorkers& workers,
      const MultiWorkerMirroredStrategyOptions& options = {});
  ~MultiWorkerMirroredStrategy() override;

 private:
  std::shared_ptr<ControlPlane> control_;
  std::unique_ptr<ControlPlane::Watch> watch_;  // last: it uses the replicas
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_MULTI_WORKER_MIRRORED_STRATEGY_H_
