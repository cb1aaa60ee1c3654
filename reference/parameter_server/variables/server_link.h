// This process's connection to one parameter server.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_SERVER_LINK_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_SERVER_LINK_H_

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "reference/base/deadline.h"
#include "reference/cluster/control/control_plane_options.h"
#include "reference/parameter_server/rpc/message.h"
#include "reference/parameter_server/rpc/rpc_client.h"

namespace lockstep::parameter_server {

// Thread-safe.
class ServerLink {
 public:
  struct Options {
    rpc::Peer peer;  // without `lost`
    rpc::Introduction self;
    ControlPlaneOptions control;
    // Whether a broken connection is made again, if the server is still the
    // same process.
    bool reconnects = false;
    // Called once, on any thread, when the server is lost.
    std::function<void(const rpc::PeerLost&)> lost = {};
  };

  // Errors: as rpc::RpcClient.
  ServerLink(Options options, Deadline deadline);
  ~ServerLink();

  // A request that was sent.
  struct Sent {
    std::shared_ptr<rpc::RpcClient> client;
    std::future<rpc::Outcome> outcome;
  };

  // Errors, here and below: rpc::PeerLost once the server is lost.
  Sent Send(const rpc::Message& request);
  // Waits for the reply. If the connection broke, sends again over the next one,
  // as long as there is one and the request is `repeatable`. Errors: those that
  // the server answered.
  rpc::Message Finish(Sent sent, const rpc::Message& request, bool repeatable);

 private:
  std::shared_ptr<rpc::RpcClient> Connect(Deadline deadline);
  // The connection that is in use, after a broken one has been made again.
  std::shared_ptr<rpc::RpcClient> WaitForClient();
  void Broke(const rpc::PeerLost& lost);
  void Repair(const rpc::PeerLost& lost);
  void Lose(const rpc::PeerLost& lost);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<rpc::RpcClient> client_;
  uint64_t incarnation_ = 0;
  bool repairing_ = false;
  bool broke_again_ = false;  // while repairing_
  bool closing_ = false;
  std::optional<rpc::PeerLost> lost_;
  std::thread repair_;
};

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_SERVER_LINK_H_
