// Synchronous training on the devices of several workers: every replica of every
// worker holds the same variables and applies the same updates.
//
//   // In each process that a launcher started: mpirun, srun, torchrun, TF_CONFIG
//   SetLogicalCpuDevices(2);
//   MultiWorkerMirroredStrategy strategy;   // waits for the other workers
//   strategy.num_replicas_in_sync();        // 4 with two workers
//   strategy.Run([] { ... });               // on the 2 here, and there
//
// All workers run the same program. What the replicas do together they do over
// all workers, and a variable starts as the chief's on all of them; Reduce,
// Gather, a variable that is read together and the next step of a distributed
// dataset are calls of all workers, made in the same order. LocalResults, merge
// calls and a PerReplica are about the replicas that are here.
//
// Errors besides those of Strategy: one that all workers meet in the same call
// (shapes that do not fit, input that cannot be read) leaves the strategy as it
// was. When a replica's function throws, or a worker goes away, everybody's Run
// or call ends, with Unavailable, DeadlineExceeded or Cancelled where the cause
// was elsewhere; no replica has applied a part of an update, and the strategy is
// finished: restart all, restore.
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
  // numbers, but DistributeDataset divides among equal ones only.
  std::vector<std::string> devices = {};
  // 0: the machine's cores divided by the replicas here, at least 1.
  int threads_per_replica = 0;
  CommunicationOptions communication = {};
  ControlPlaneOptions control = {};
};

// Workers that are connected, and which of them this is.
struct ConnectedWorkers {
  Topology topology;
  std::shared_ptr<Group> between;
  // Tells when one of them is gone; nullptr: only `between` does.
  std::shared_ptr<ControlPlane> control = nullptr;
};

// Connects this worker with the others that `cluster` tells of, over gRPC and
// Gloo or MPI, for a strategy with the same options. When the control plane's
// last user lets go of it, it says that this worker has left, but not where an
// exception ends it: then the others find it gone. Errors: those of the
// resolver, ConnectControlPlane and MakeGroupOfWorkers.
ConnectedWorkers ConnectWorkers(
    const ClusterResolver& cluster,
    const MultiWorkerMirroredStrategyOptions& options = {});

class MultiWorkerMirroredStrategy final : public MirroringStrategy {
 public:
  // Of the workers that the environment, or a resolver, tells of: it connects
  // with them. Errors: those of ConnectWorkers and MirroredStrategy.
  explicit MultiWorkerMirroredStrategy(
      const MultiWorkerMirroredStrategyOptions& options = {});
  explicit MultiWorkerMirroredStrategy(
      const ClusterResolver& cluster,
      const MultiWorkerMirroredStrategyOptions& options = {});
  // Of workers that are connected by whoever calls. Errors: those of
  // MirroredStrategy; InvalidArgument for other than a device a replica here,
  // or a group that is not of the topology's workers.
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
