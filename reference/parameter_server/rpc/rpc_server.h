// Answers requests of other processes, over gRPC streams.
//
//   class Echo : public Service {
//     void Handle(const Caller&, Message request, Done answer) override {
//       answer(std::move(request));
//     }
//   } echo;
//   RpcServer server("127.0.0.1:0", options, echo);
//   server.port();
//
// Nothing of a caller is read before its token has been checked. Whatever bytes
// arrive, the process lives on: a call of another token, library version or
// program is refused, and a malformed message ends its stream.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_RPC_SERVER_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_RPC_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "reference/cluster/control/control_plane_options.h"
#include "reference/parameter_server/rpc/message.h"

namespace lockstep::rpc {

// The process at the other end of a stream.
struct Caller {
  std::string role;     // "coordinator", "worker"
  int index = 0;        // among those of its role
  std::string address;  // of its connection, for messages
  uint64_t stream = 0;  // another number for each stream
};

// What the server does. All functions are called by gRPC's threads and must not
// block; several callers are served at once, the requests of one in their order.
class Service {
 public:
  virtual ~Service() = default;

  // A stream was opened: before its first request. An Error refuses the caller.
  virtual void Joined(const Caller& /*caller*/) {}
  // Calls `answer` exactly once, now or later, on any thread. Throwing an Error
  // answers with it.
  virtual void Handle(const Caller& caller, Message request, Done answer) = 0;
  // The caller has closed its stream or is lost: after its last request.
  virtual void Left(const Caller& /*caller*/) {}
};

class RpcServer {
 public:
  // Listens at `address`; port 0 is any free port. Uses of the options: token,
  // tls, program, library_version and the heartbeats. Errors: Unavailable if it
  // cannot listen; those of the TLS files. REQUIRES: the service outlives it.
  RpcServer(const std::string& address, const ControlPlaneOptions& options,
            Service& service);
  // Closes all streams, after the answers that were given. No function of the
  // service is called afterwards; answers given later are dropped.
  ~RpcServer();

  int port() const;
  // A random number that is another one whenever the process starts again;
  // callers get it.
  uint64_t incarnation() const;

 private:
  class Listener;

  const std::unique_ptr<Listener> listener_;
};

}  // namespace lockstep::rpc

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_RPC_SERVER_H_
