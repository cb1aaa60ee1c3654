// The chief's end of the control plane: the state of the job, which the other
// workers reach by gRPC.
//
//   const auto server = std::make_shared<ControlServer>(names, run_id,
//                                                       "127.0.0.1:0", options);
//   server->port();
//   JoinJob({server, &server->job_state()}, WorkerId(0));
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONTROL_SERVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONTROL_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/control/job_state.h"

namespace lockstep::control_internal {

class ControlServer {
 public:
  // `names` are the workers' names in messages. Listens at `address`; port 0 is
  // any free port. Errors: Unavailable if it cannot listen; those of the TLS
  // files.
  ControlServer(std::vector<std::string> names, std::string run_id,
                const std::string& address, const ControlPlaneOptions& options);
  // Messages that were sent reach all workers that have not stopped.
  ~ControlServer();

  int port() const;
  JobState& job_state();

 private:
  class Service;

  const std::unique_ptr<Service> service_;
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONTROL_SERVER_H_
