// For tests: parameter servers on threads of this process, with real
// connections over loopback.
//
//   ServersOfTest servers(2);
//   auto coordinator = servers.Connect(ParameterServerRole::kCoordinator);
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARAMETER_SERVERS_TESTING_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARAMETER_SERVERS_TESTING_H_

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "reference/parameter_server/server/parameter_server.h"
#include "reference/parameter_server/variables/parameter_client.h"

namespace lockstep {

inline Deadline SoonOfTest() {
  return Deadline::clock::now() + std::chrono::seconds(30);
}

class ServersOfTest {
 public:
  explicit ServersOfTest(int count) {
    for (int i = 0; i < count; ++i) {
      servers_.push_back(
          std::make_unique<ParameterServer>("127.0.0.1:0", options_));
    }
  }

  ParameterServerCluster ClusterOf(ParameterServerRole role,
                                   int index = 0) const {
    ParameterServerCluster cluster{
        .role = role,
        .index = index,
        .coordinator = {"127.0.0.1", 1},
        .workers = {{"127.0.0.1", 2}, {"127.0.0.1", 3}},
        .servers = {}};
    for (const auto& server : servers_) {
      cluster.servers.push_back({"127.0.0.1", server->port()});
    }
    return cluster;
  }

  std::shared_ptr<ParameterClient> Connect(ParameterServerRole role,
                                           ParameterClient::Lost lost = {}) {
    return std::make_shared<ParameterClient>(ClusterOf(role), options_,
                                             SoonOfTest(), std::move(lost));
  }

  ParameterServer& server(int index) { return *servers_[index]; }
  void Stop(int index) { servers_[index].reset(); }

 private:
  const ControlPlaneOptions options_;
  std::vector<std::unique_ptr<ParameterServer>> servers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARAMETER_SERVERS_TESTING_H_
