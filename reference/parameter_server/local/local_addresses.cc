#include "reference/parameter_server/local/local_addresses.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "reference/base/json.h"
#include "reference/cluster/free_port.h"

namespace lockstep {
namespace {

Json Texts(const std::vector<WorkerAddress>& addresses) {
  Json texts = Json::array();
  for (const WorkerAddress& address : addresses) {
    texts.push_back(address.ToString());
  }
  return texts;
}

}  // namespace

ParameterServerCluster LocalAddresses(int workers, int servers) {
  std::set<int> ports;
  const auto next = [&ports] {
    int port = FreePort();
    while (!ports.insert(port).second) port = FreePort();
    return WorkerAddress{.host = "127.0.0.1", .port = port};
  };
  ParameterServerCluster cluster;
  cluster.coordinator = next();
  for (int i = 0; i < workers; ++i) cluster.workers.push_back(next());
  for (int i = 0; i < servers; ++i) cluster.servers.push_back(next());
  return cluster;
}

std::string TfConfigOf(const ParameterServerCluster& cluster,
                       ParameterServerRole role, int index) {
  const Json jobs = {
      {NameOf(ParameterServerRole::kCoordinator), Texts({cluster.coordinator})},
      {NameOf(ParameterServerRole::kWorker), Texts(cluster.workers)},
      {NameOf(ParameterServerRole::kServer), Texts(cluster.servers)}};
  return Json{{"cluster", jobs},
              {"task", {{"type", NameOf(role)}, {"index", index}}}}
      .dump();
}

}  // namespace lockstep
