#include "reference/parameter_server/variables/server_link.h"

#include <chrono>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::parameter_server {
namespace {

// How long a server that lives may take to answer a new connection.
constexpr std::chrono::milliseconds kReconnect(1000);

}  // namespace

ServerLink::ServerLink(Options options, Deadline deadline)
    : options_(std::move(options)) {
  auto client = Connect(deadline);
  std::lock_guard lock(mutex_);
  if (lost_) throw *lost_;
  incarnation_ = client->incarnation();
  client_ = std::move(client);
}

ServerLink::~ServerLink() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  if (repair_.joinable()) repair_.join();
}

std::shared_ptr<rpc::RpcClient> ServerLink::Connect(Deadline deadline) {
  rpc::Peer peer = options_.peer;
  peer.lost = [this](const rpc::PeerLost& lost) { Broke(lost); };
  return std::make_shared<rpc::RpcClient>(peer, options_.self, options_.control,
                                          deadline);
}

// Called on gRPC's thread, which must not wait for a connection.
void ServerLink::Broke(const rpc::PeerLost& lost) {
  {
    std::lock_guard lock(mutex_);
    if (closing_ || lost_) return;
    if (repairing_) {
      broke_again_ = true;
      return;
    }
    if (options_.reconnects && client_ != nullptr) {
      // It no longer needs the lock.
      if (repair_.joinable()) repair_.join();
      repairing_ = true;
      repair_ = std::thread([this, lost] { Repair(lost); });
      return;
    }
  }
  Lose(lost);
}

void ServerLink::Repair(const rpc::PeerLost& lost) {
  try {
    for (bool works = false; !works;) {
      auto client = Connect(Deadline::clock::now() + kReconnect);
      if (client->incarnation() != incarnation_) {
        return Lose(rpc::PeerLost(
            std::string(lost.what()) +
            "; another process listens there now, without its variables"));
      }
      // Unlocked before the broken client is destroyed.
      std::lock_guard lock(mutex_);
      works = !std::exchange(broke_again_, false);
      std::swap(client_, client);
      if (works) repairing_ = false;
      changed_.notify_all();
    }
  } catch (const Error&) {
    Lose(lost);
  }
}

void ServerLink::Lose(const rpc::PeerLost& lost) {
  {
    std::lock_guard lock(mutex_);
    if (lost_) return;
    lost_ = lost;
    repairing_ = false;
    changed_.notify_all();
  }
  if (options_.lost) options_.lost(lost);
}

std::shared_ptr<rpc::RpcClient> ServerLink::WaitForClient() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !repairing_; });
  if (lost_) throw *lost_;
  return client_;
}

ServerLink::Sent ServerLink::Send(const rpc::Message& request) {
  Sent sent{WaitForClient(), {}};
  const auto promise = std::make_shared<std::promise<rpc::Outcome>>();
  sent.outcome = promise->get_future();
  sent.client->Start(request, [promise](rpc::Outcome outcome) {
    promise->set_value(std::move(outcome));
  });
  return sent;
}

rpc::Message ServerLink::Finish(Sent sent, const rpc::Message& request,
                                bool repeatable) {
  for (;;) {
    try {
      return sent.outcome.get().Take();
    } catch (const rpc::PeerLost&) {
      if (!repeatable || !options_.reconnects) throw;
    }
    std::unique_lock lock(mutex_);
    // The connection is made again by the thread that the break started.
    changed_.wait(lock, [&] { return lost_ || client_ != sent.client; });
    if (lost_) throw *lost_;
    lock.unlock();
    sent = Send(request);
  }
}

}  // namespace lockstep::parameter_server
