// This process's connections to all parameter servers.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_SERVER_LINKS_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_SERVER_LINKS_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "reference/base/deadline.h"
#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/parameter_server_cluster.h"
#include "reference/parameter_server/rpc/message.h"
#include "reference/parameter_server/rpc/parameter.pb.h"
#include "reference/parameter_server/variables/server_link.h"

namespace lockstep::parameter_server {

// A request to one server.
struct ServerRequest {
  int server = 0;
  Request head = {};
  std::vector<Tensor> tensors = {};
  // Whether its effect is the same if it is sent twice.
  bool repeatable = false;
};

// Thread-safe. Once a server is lost, all functions throw rpc::PeerLost.
class ServerLinks {
 public:
  using Lost = std::function<void(const rpc::PeerLost&)>;

  // See ParameterClient.
  ServerLinks(const ParameterServerCluster& cluster,
              const ControlPlaneOptions& options, Deadline deadline, Lost lost);

  int size() const { return static_cast<int>(links_.size()); }
  bool is_coordinator() const { return is_coordinator_; }
  void CheckAlive();

  // Sends all requests, then waits for all replies, in the order of the
  // requests. Errors: the first that a server answered.
  std::vector<rpc::Message> Call(const std::vector<ServerRequest>& requests);
  // Sends one without waiting; its error is dropped.
  void Post(const ServerRequest& request);

 private:
  void Lose(const rpc::PeerLost& lost);

  const bool is_coordinator_;
  const Lost tell_lost_;
  std::mutex mutex_;
  std::optional<rpc::PeerLost> lost_;
  // Last, because its threads use the others.
  std::vector<std::unique_ptr<ServerLink>> links_;
};

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_SERVER_LINKS_H_
