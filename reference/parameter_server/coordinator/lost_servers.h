// Tells one listener when a parameter server is lost.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_LOST_SERVERS_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_LOST_SERVERS_H_

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "reference/parameter_server/rpc/message.h"

namespace lockstep::coordinator_internal {

// Thread-safe.
class LostServers {
 public:
  using Listener = std::function<void(const rpc::PeerLost&)>;

  void Report(const rpc::PeerLost& lost) {
    std::lock_guard lock(mutex_);
    if (lost_) return;
    lost_ = lost;
    if (listener_) listener_(lost);
  }

  // Listens while it lives; hears at once of a server that is lost already.
  // `listener` must not use these LostServers.
  class Ear {
   public:
    Ear(LostServers& servers, Listener listener) : servers_(servers) {
      std::lock_guard lock(servers_.mutex_);
      if (servers_.lost_) listener(*servers_.lost_);
      servers_.listener_ = std::move(listener);
    }
    ~Ear() {
      std::lock_guard lock(servers_.mutex_);
      servers_.listener_ = nullptr;
    }
    Ear(const Ear&) = delete;
    Ear& operator=(const Ear&) = delete;

   private:
    LostServers& servers_;
  };

 private:
  std::mutex mutex_;
  std::optional<rpc::PeerLost> lost_;
  Listener listener_;
};

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_LOST_SERVERS_H_
