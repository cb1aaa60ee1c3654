#include "reference/collectives/gloo/gloo_connection.h"

#include <gloo/transport/address.h>
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/signals/held_signals.h"
#include "reference/collectives/gloo/batch_scheduling.h"
#include "reference/collectives/mesh/introduction.h"

namespace lockstep::collectives_internal {
namespace {

using Addresses = std::vector<std::string>;

// What gloo::rendezvous::Context does over a store of keys that one worker
// after the other reads: all addresses are exchanged at once instead.
class FullMesh final : public gloo::Context {
 public:
  FullMesh(int rank, int size, std::shared_ptr<gloo::transport::Device> device,
           std::chrono::milliseconds connect_limit)
      : Context(rank, size) {
    device_ = std::move(device);
    setTimeout(connect_limit);
    transportContext_ = device_->createContext(rank, size);
    transportContext_->setTimeout(connect_limit);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      auto& pair = transportContext_->createPair(other);
      pair->setLocalRank(0);
    }
  }

  // Where each of the others reaches this worker; entry `rank` is empty.
  Addresses OwnAddresses() const {
    Addresses addresses(size);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      const auto bytes = transportContext_->getPair(other)->address().bytes();
      addresses[other] = {bytes.begin(), bytes.end()};
    }
    return addresses;
  }

  // Entry w is where worker w waits for this one.
  void Connect(const Addresses& addresses) {
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      const std::string& address = addresses[other];
      transportContext_->getPair(other)->connect(
          {address.begin(), address.end()});
    }
  }
};

// The two that make GlooContexts.
struct Meshes {
  std::shared_ptr<FullMesh> upward;
  std::shared_ptr<FullMesh> downward;

  // Where worker w reaches this one: entry w, and that behind all of upward's.
  Addresses OwnAddresses() const {
    Addresses addresses = upward->OwnAddresses();
    std::ranges::move(downward->OwnAddresses(), std::back_inserter(addresses));
    return addresses;
  }
  // The same of the others: `all` are their OwnAddresses.
  void Connect(const std::vector<Addresses>& all) const {
    Addresses up, down;
    for (const Addresses& addresses : all) {
      up.push_back(addresses.at(upward->rank));
      down.push_back(addresses.at(all.size() + upward->rank));
    }
    upward->Connect(up);
    downward->Connect(down);
  }
};

// A name's addresses, in digits. Errors: NotFound.
std::vector<std::string> Resolve(const std::string& name) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int status = getaddrinfo(name.c_str(), nullptr, &hints, &first);
  if (status != 0) {
    throw NotFound("the name does not resolve: {}", gai_strerror(status));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(first,
                                                             freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* a = first; a != nullptr; a = a->ai_next) {
    char digits[NI_MAXHOST];
    if (getnameinfo(a->ai_addr, a->ai_addrlen, digits, sizeof(digits), nullptr,
                    0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(digits);
    }
  }
  return addresses;
}

// Gloo reads memory that nobody wrote where a name does not resolve, so it is
// given addresses; the first that is this machine's counts.
std::shared_ptr<gloo::transport::Device> ListenAt(const std::string& name) {
  std::string problem = "it has no address";
  for (const std::string& address : Resolve(name)) {
    try {
      gloo::transport::tcp::attr attributes;
      attributes.hostname = address;
      return gloo::transport::tcp::CreateDevice(attributes);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  throw InvalidArgument("{}", problem);
}

std::shared_ptr<gloo::transport::Device> Listen(const GlooOptions& options) {
  const BatchScheduling batch;  // for the thread that a device starts
  if (options.interface_name.empty()) return ListenAt(options.address);
  gloo::transport::tcp::attr attributes;
  attributes.iface = options.interface_name;
  return gloo::transport::tcp::CreateDevice(attributes);
}

Meshes MakeMeshes(const ControlPlane& control, const GlooOptions& options) {
  const auto device = Listen(options);
  const auto make = [&] {
    return std::make_shared<FullMesh>(control.worker().value(),
                                      control.num_workers(), device,
                                      options.connect_limit);
  };
  return {make(), make()};
}

// What `problem` means to the other workers.
Error CannotListen(const ControlPlane& control, const GlooOptions& options,
                   const std::exception& problem) {
  const auto* const typed = dynamic_cast<const Error*>(&problem);
  return Error(
      typed ? typed->code() : Code::kInvalidArgument,
      fmt::format("[MakeGlooGroup] worker {} cannot listen on {}: {}",
                  control.worker().value(),
                  options.interface_name.empty() ? options.address
                                                 : options.interface_name,
                  problem.what()));
}

// What Connect has come to, on a thread of its own.
struct Connecting {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::string failure = {};  // when done, where it failed
  bool job_failed = false;
};

void StartConnecting(const Meshes& meshes, const std::vector<Addresses>& all,
                     const std::shared_ptr<Connecting>& state) {
  const auto connect = [meshes, all, state] {
    std::string failure;
    try {
      meshes.Connect(all);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const std::lock_guard lock(state->mutex);
    state->done = true;
    state->failure = failure;
    state->changed.notify_all();
  };
  try {
    std::thread(connect).detach();
  } catch (const std::system_error& error) {
    throw ResourceExhausted("[MakeGlooGroup] cannot start a thread: {}",
                            error.what());
  }
}

// What went wrong on this worker, empty for nothing. Gloo waits five times as
// long for a connection as it is told to, also for a worker that is known to be
// gone, and cannot be woken: so it does that on a thread, which is left to
// itself where this worker gives up.
std::string ConnectInTime(const Meshes& meshes,
                          const std::vector<Addresses>& all,
                          ControlPlane& control, Deadline deadline) {
  const auto state = std::make_shared<Connecting>();
  StartConnecting(meshes, all, state);
  const auto watch = control.OnFailure([state](const Error&) {
    const std::lock_guard lock(state->mutex);
    state->job_failed = true;
    state->changed.notify_all();
  });
  std::unique_lock lock(state->mutex);
  state->changed.wait_until(lock, deadline,
                            [&] { return state->done || state->job_failed; });
  return state->done ? state->failure : "it waits for another worker";
}

// Returns when all workers are connected with all.
void ConnectTogether(const Meshes& meshes, const std::vector<Addresses>& all,
                     ControlPlane& control, Deadline deadline) {
  const std::string failure = ConnectInTime(meshes, all, control, deadline);
  const auto failures =
      control.Exchange("MakeGlooGroup: connected", failure, deadline);
  for (size_t w = 0; w < failures.size(); ++w) {
    if (failures[w].empty()) continue;
    throw Unavailable("[MakeGlooGroup] worker {} cannot connect: {}", w,
                      failures[w]);
  }
}

// Gloo resets connections when it closes them, and its thread ends the process
// of a worker that accepts one only then. The system does not reset them when
// this process ends, so they stay open until then.
void KeepOpen(Meshes meshes) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<Meshes>;
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(meshes));
}

}  // namespace

GlooContexts ConnectGloo(ControlPlane& control, const GlooOptions& options) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + options.connect_limit;
  const HeldSignals held(
      {SIGPIPE});  // for the thread that a device starts, too
  Introduction mine;
  Meshes meshes;
  try {
    meshes = MakeMeshes(control, options);
    mine.facts = meshes.OwnAddresses();
  } catch (const std::exception& error) {
    mine.error = CannotListen(control, options, error);
  }
  const auto all = Introduce(control, "MakeGlooGroup", mine, deadline);
  try {
    ConnectTogether(meshes, all, control, deadline);
  } catch (...) {
    KeepOpen(std::move(meshes));
    throw;
  }
  return {std::move(meshes.upward), std::move(meshes.downward)};
}

}  // namespace lockstep::collectives_internal
