// One stream to an RpcServer: sends requests, gets their replies.
//
//   RpcClient client({.name = "worker 0", .address = {"10.0.0.7", 2222}},
//                    {.role = "coordinator"}, options, deadline);
//   Message reply = client.Call({.head = "ping"});
//
// Thread-safe. Requests are sent in the order of the calls. A stream that broke
// stays broken: make another client to reconnect, and compare incarnations.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_RPC_CLIENT_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_RPC_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "reference/base/deadline.h"
#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane_options.h"
#include "reference/parameter_server/rpc/message.h"

namespace lockstep::rpc {

struct Peer {
  std::string name;  // for messages: "parameter server 0"
  WorkerAddress address;
  // Called once, on any thread, if the stream breaks before the client is
  // destroyed. Must not block, nor destroy the client.
  std::function<void(const PeerLost&)> lost = {};
};

// What the client says of itself.
struct Introduction {
  std::string role;  // "coordinator", "worker"
  int index = 0;
};

class RpcClient {
 public:
  // Connects; tries again until the deadline while nothing listens. Errors:
  // DeadlineExceeded; NotFound if the name does not resolve; Unauthenticated
  // for another token or a certificate that is not trusted; FailedPrecondition
  // for another library version or program; those of the TLS files.
  RpcClient(const Peer& peer, const Introduction& self,
            const ControlPlaneOptions& options, Deadline deadline);
  // Requests without a reply end with a PeerLost. REQUIRES: not called by `lost`
  // or by a request's `done`.
  ~RpcClient();

  // The server's random number.
  uint64_t incarnation() const;

  // Sends and waits for the reply. Errors: PeerLost, also for every later call;
  // the Error that the server answered.
  Message Call(Message request);
  // Sends, and calls `done` exactly once, on gRPC's thread or the caller's. It
  // must not block.
  void Start(Message request, Done done);

 private:
  class Stream;

  const std::unique_ptr<Stream> stream_;
};

}  // namespace lockstep::rpc

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_RPC_CLIENT_H_
