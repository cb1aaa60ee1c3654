// What a ParameterServerStrategy is made of.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_STRATEGY_PARTS_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_STRATEGY_PARTS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "reference/distribute/replica_context.h"
#include "reference/parameter_server/coordinator/lost_servers.h"
#include "reference/parameter_server/coordinator/parameter_server_strategy.h"
#include "reference/parameter_server/coordinator/worker_program.h"

namespace lockstep {

struct ParameterServerStrategy::Parts {
  Parts(ParameterServerStrategy& strategy,
        const ParameterServerCluster& cluster,
        const ParameterServerStrategyOptions& options)
      : cluster(cluster),
        control(options.control),
        allowed_worker_losses(options.allowed_worker_losses),
        client(std::make_shared<ParameterClient>(
            cluster, options.control,
            Deadline::clock::now() + options.control.join_timeout,
            [this](const rpc::PeerLost& lost) { lost_servers.Report(lost); })),
        maker(client, options.partitioner),
        replica(strategy, strategy.replicas(), LocalIndex(0)) {}

  const ParameterServerCluster cluster;
  const ControlPlaneOptions control;
  const int allowed_worker_losses;
  coordinator_internal::LostServers lost_servers;  // before what reports to it
  const std::shared_ptr<ParameterClient> client;
  RemoteVariableMaker maker;
  coordinator_internal::WorkerProgram program;
  ReplicaContext replica;
  std::mutex run_mutex;       // callers of Run take turns
  uint64_t next_closure = 1;  // of the next coordinator
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_STRATEGY_PARTS_H_
