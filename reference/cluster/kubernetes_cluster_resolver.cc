#include "reference/cluster/kubernetes_cluster_resolver.h"

#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/cluster/launcher_cluster_resolvers.h"

namespace lockstep {
namespace {

std::string JobName(const VariableReader& read, int index) {
  const std::string host = read.Text("HOSTNAME");
  const std::string ending = fmt::format("-{}", index);
  if (host.size() <= ending.size() || !host.ends_with(ending)) {
    throw InvalidArgument(
        "[{}] HOSTNAME must be the job's name and '{}' where LOCKSTEP_SERVICE "
        "is set, got {}",
        read.operation(), ending, Quote(host));
  }
  return host.substr(0, host.size() - ending.size());
}

std::vector<WorkerAddress> PodAddresses(const VariableReader& read,
                                        const ClusterFacts& facts, int port) {
  const std::optional<std::string> service = read.Find("LOCKSTEP_SERVICE");
  if (!service) return {};
  if (!IsHost(*service)) {
    throw InvalidArgument("[{}] LOCKSTEP_SERVICE must be a name, got {}",
                          read.operation(), Quote(*service));
  }
  const std::string job = JobName(read, facts.worker.value());
  std::vector<WorkerAddress> addresses;
  for (int i = 0; i < facts.num_workers; ++i) {
    addresses.push_back({fmt::format("{}-{}.{}", job, i, *service), port});
  }
  return addresses;
}

}  // namespace

ClusterSpec KubernetesClusterResolver::Resolve() const {
  const VariableReader read("KubernetesClusterResolver", environment_);
  ClusterFacts facts{.origin = std::string(name())};
  read.Text("JOB_COMPLETION_INDEX");
  facts.num_workers = read.Number("LOCKSTEP_NUM_WORKERS", 1, kMostWorkers);
  facts.worker = WorkerId(read.Index(
      "JOB_COMPLETION_INDEX", "LOCKSTEP_NUM_WORKERS", facts.num_workers));
  facts.addresses = PodAddresses(read, facts, port_);
  ReadMaster(read, facts);
  return ClusterSpec(std::move(facts));
}

}  // namespace lockstep
