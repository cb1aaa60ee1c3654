#include "reference/parameter_server/coordinator/parameter_server_strategy.h"

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/base/threads.h"
#include "reference/collectives/in_process_group.h"
#include "reference/collectives/rendezvous.h"
#include "reference/parameter_server/coordinator/strategy_parts.h"
#include "reference/parameter_server/coordinator/worker_service.h"

namespace lockstep {
namespace {

ReplicasPtr OneReplica() {
  auto here = std::make_shared<Rendezvous>(1);
  auto replicas =
      std::make_shared<Replicas>(Replicas{.topology = Topology::OneWorker(1),
                                          .devices = {&FindDevice("CPU:0")},
                                          .groups = {},
                                          .rendezvous = here});
  replicas->groups.push_back(std::make_unique<InProcessGroup>(
      std::move(here), 0, std::make_shared<SharedMemoryAllReduce>()));
  return replicas;
}

// Errors: InvalidArgument unless the process is to run the program.
const ParameterServerCluster& Checked(
    const ParameterServerCluster& cluster,
    const ParameterServerStrategyOptions& options) {
  if (options.allowed_worker_losses < 0) {
    throw InvalidArgument(
        "[ParameterServerStrategy] allowed_worker_losses must be at least 0, "
        "got {}",
        options.allowed_worker_losses);
  }
  CheckParameterServerCluster(cluster);
  if (cluster.role == ParameterServerRole::kCoordinator ||
      cluster.role == ParameterServerRole::kWorker) {
    return cluster;
  }
  throw InvalidArgument(
      "[ParameterServerStrategy] is for the coordinator and workers, got task "
      "'{}'; a server calls RunParameterServer, an evaluator uses another "
      "strategy",
      NameOf(cluster.role));
}

std::string ListenAddress(const ParameterServerCluster& cluster,
                          const ControlPlaneOptions& control) {
  return WorkerAddress{control.listen_host, cluster.own_address().port}
      .ToString();
}

int ThreadsOf(int wanted) {
  if (wanted > 0) return wanted;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

ParameterServerStrategy::ParameterServerStrategy(
    const ParameterServerCluster& cluster,
    const ParameterServerStrategyOptions& options)
    : Strategy(OneReplica()),
      threads_(options.threads_per_worker),
      parts_(
          std::make_unique<Parts>(*this, Checked(cluster, options), options)) {
  LogInfo(
      "Using ParameterServerStrategy as {} {}, with {} workers and {} "
      "parameter "
      "servers",
      NameOf(cluster.role), cluster.index, cluster.workers.size(),
      cluster.servers.size());
}

ParameterServerStrategy::ParameterServerStrategy(
    const ParameterServerStrategyOptions& options)
    : ParameterServerStrategy(ParameterServerClusterOfTfConfig(), options) {}

ParameterServerStrategy::~ParameterServerStrategy() = default;

bool ParameterServerStrategy::is_worker() const {
  return parts_->cluster.role == ParameterServerRole::kWorker;
}

const ParameterServerCluster& ParameterServerStrategy::cluster() const {
  return parts_->cluster;
}

WorkerFunction ParameterServerStrategy::Function(const std::string& name,
                                                 WorkerFunctionBody body) {
  parts_->program.AddFunction(name, std::move(body));
  return {name};
}

WorkerDataset ParameterServerStrategy::DatasetFunction(
    const std::string& name, lockstep::DatasetFunction body) {
  parts_->program.AddDataset(name, std::move(body));
  return {name};
}

WorkerFunction ParameterServerStrategy::EnsureFunction(
    const std::string& name, WorkerFunctionBody body) {
  if (parts_->program.has_function(name)) return {name};
  return Function(name, std::move(body));
}

WorkerDataset ParameterServerStrategy::EnsureDataset(
    const std::string& name, lockstep::DatasetFunction body) {
  if (parts_->program.has_dataset(name)) return {name};
  return DatasetFunction(name, std::move(body));
}

int ParameterServerStrategy::Serve() {
  if (!is_worker()) {
    throw FailedPrecondition("[Serve] is for workers, this is the {}",
                             NameOf(parts_->cluster.role));
  }
  coordinator_internal::WorkerService service(parts_->program);
  const coordinator_internal::LostServers::Ear ear(
      parts_->lost_servers,
      [&](const rpc::PeerLost&) { service.ServersGone(); });
  const rpc::RpcServer server(ListenAddress(parts_->cluster, parts_->control),
                              parts_->control, service);
  if (parts_->control.listening) parts_->control.listening(server.port());
  // A thread of its own, which is in no strategy's scope: a function has one
  // replica, also where the program's scope is still open.
  std::async(std::launch::async, [&] {
    ThreadTeam team(ThreadsOf(threads_));
    const ThreadTeamScope team_scope(&team);
    const FlushDenormals flush;
    service.RunUntilEnd();
  }).get();
  return 0;
}

VariablePtr ParameterServerStrategy::CreateVariable(
    const VariableOptions& options) {
  return parts_->maker.Make(options);
}

void ParameterServerStrategy::RunReplicas(const ReplicaBody& body) {
  DistributionContext::Current().CheckOutsideRun("Run",
                                                 "call the function directly");
  std::lock_guard lock(parts_->run_mutex);
  replicas()->rendezvous->Reset();
  const DistributionContextScope context(parts_->replica);
  try {
    body(LocalIndex(0));
    replicas()->rendezvous->Leave();
  } catch (...) {
    replicas()->groups[0]->Abort();
    throw;
  }
}

}  // namespace lockstep
