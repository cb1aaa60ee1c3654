#include "reference/cluster/parameter_server_cluster.h"

#include <array>
#include <optional>
#include <set>

#include "reference/base/error.h"
#include "reference/cluster/tf_config.h"

namespace lockstep {
namespace {

constexpr std::array kRoles = {"chief", "worker", "ps", "evaluator"};

ParameterServerRole RoleNamed(const std::string& name) {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (name == kRoles[i]) return static_cast<ParameterServerRole>(i);
  }
  throw InvalidArgument("[ParameterServerCluster] there is no role '{}'", name);
}

void CheckSome(const char* what, const std::vector<WorkerAddress>& addresses) {
  if (!addresses.empty()) return;
  throw InvalidArgument(
      "[ParameterServerCluster] a cluster must have a chief, workers and "
      "parameter servers (ps), got one without a {}",
      what);
}

}  // namespace

std::string_view NameOf(ParameterServerRole role) {
  return kRoles[static_cast<size_t>(role)];
}

const WorkerAddress& ParameterServerCluster::own_address() const {
  if (role == ParameterServerRole::kWorker) return workers[index];
  if (role == ParameterServerRole::kServer) return servers[index];
  return coordinator;
}

void CheckParameterServerCluster(const ParameterServerCluster& cluster) {
  CheckSome("worker", cluster.workers);
  CheckSome("ps", cluster.servers);
  size_t tasks = 1;
  if (cluster.role == ParameterServerRole::kWorker) {
    tasks = cluster.workers.size();
  } else if (cluster.role == ParameterServerRole::kServer) {
    tasks = cluster.servers.size();
  }
  const bool may_be_any = cluster.role == ParameterServerRole::kEvaluator;
  if (cluster.index < 0 ||
      (!may_be_any && static_cast<size_t>(cluster.index) >= tasks)) {
    throw InvalidArgument(
        "[ParameterServerCluster] the index must be below the {} tasks of type "
        "{}, got {}",
        tasks, NameOf(cluster.role), cluster.index);
  }
  std::set<std::string> seen;
  for (const auto* addresses : {&cluster.workers, &cluster.servers}) {
    for (const WorkerAddress& address : *addresses) {
      if (seen.insert(address.ToString()).second) continue;
      throw InvalidArgument(
          "[ParameterServerCluster] every process must have an address of its "
          "own, got {} twice",
          address.ToString());
    }
  }
}

ParameterServerCluster ParameterServerClusterOfTfConfig(
    const Environment& environment) {
  auto config = cluster_internal::ReadTfConfig(environment);
  if (!config) {
    throw FailedPrecondition(
        "[ParameterServerCluster] the environment has no TF_CONFIG with a "
        "cluster: set it in every process");
  }
  CheckSome("chief", config->jobs["chief"]);
  cluster_internal::CheckOwnTask(*config);
  ParameterServerCluster cluster{.role = RoleNamed(config->task.type),
                                 .index = static_cast<int>(config->task.index),
                                 .coordinator = config->jobs["chief"][0],
                                 .workers = config->jobs["worker"],
                                 .servers = config->jobs["ps"]};
  CheckParameterServerCluster(cluster);
  return cluster;
}

}  // namespace lockstep
