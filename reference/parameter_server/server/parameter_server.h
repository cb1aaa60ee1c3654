// The process that keeps variables for others.
//
//   if (cluster.role == ParameterServerRole::kServer) {
//     return RunParameterServer(cluster, {.token = token});
//   }
//
// It knows nothing of the program: it keeps values, and changes them by the
// rules of reference/optimizers.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PARAMETER_SERVER_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PARAMETER_SERVER_H_

#include <memory>
#include <string>

#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/parameter_server_cluster.h"

namespace lockstep {

// A parameter server on threads of this process.
class ParameterServer {
 public:
  // Listens at `address`; port 0 is any free port. Errors: as rpc::RpcServer.
  ParameterServer(const std::string& address,
                  const ControlPlaneOptions& options);
  ~ParameterServer();

  int port() const;
  // Returns when the coordinator, which came, has ended or is lost. Errors:
  // DeadlineExceeded if none came within options.join_timeout.
  void Wait();

 private:
  class Store;

  const std::unique_ptr<Store> store_;
};

// Serves at the address of this server of the cluster until the coordinator
// ends. options.listen_host is the host to listen on, options.listening is
// called once it listens. Returns 0. Errors: as ParameterServer.
int RunParameterServer(const ParameterServerCluster& cluster,
                       const ControlPlaneOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PARAMETER_SERVER_H_
