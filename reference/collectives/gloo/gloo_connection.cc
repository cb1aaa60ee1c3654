#include "reference/collectives/gloo/gloo_connection.h"

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/signals/held_signals.h"
#include "reference/collectives/gloo/greeted_sockets.h"
#include "reference/collectives/gloo/private_device.h"
#include "reference/collectives/mesh/introduction.h"

namespace lockstep::collectives_internal {
namespace {

namespace tcp = gloo::transport::tcp;
using std::chrono::milliseconds;

// Gloo's own pair accepts any process that connects first, and ends this
// process if that one has hung up. This pair is given a connection. The port
// that some versions have opened by now is closed before any process knows it.
class ConnectedPair final : public tcp::Pair {
 public:
  ConnectedPair(tcp::Context* context, tcp::Device* device, int rank,
                milliseconds limit, Socket socket)
      : Pair(context, device, rank, limit) {
    const std::lock_guard lock(m_);
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;  // nothing to close if this throws
    peer_ = PeerOf(socket.get());
    const int at_once = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &at_once,
               sizeof(at_once));
    device->registerDescriptor(socket.get(), EPOLLIN, this);
    fd_ = socket.Release();
    changeState(CONNECTED);
  }

 private:
  static tcp::Address PeerOf(int socket) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) !=
        0) {
      throw SystemError(errno, "a worker has hung up");
    }
    return tcp::Address(address);
  }
};

class ConnectedPairs final : public tcp::Context {
 public:
  // Entry w is the connection with rank w.
  ConnectedPairs(const std::shared_ptr<tcp::Device>& device, int rank,
                 std::vector<Socket> sockets, milliseconds limit)
      : Context(device, rank, static_cast<int>(sockets.size())) {
    setTimeout(limit);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      pairs_[other] = std::make_unique<ConnectedPair>(
          this, device.get(), other, limit, std::move(sockets[other]));
      pairs_[other]->setLocalRank(0);
    }
  }
};

// Does what gloo::rendezvous::Context does, without a key-value store.
class FullMesh final : public gloo::Context {
 public:
  FullMesh(const std::shared_ptr<tcp::Device>& device, int rank,
           std::vector<Socket> sockets, milliseconds limit)
      : Context(rank, static_cast<int>(sockets.size())) {
    device_ = device;
    setTimeout(limit);
    transportContext_ = std::make_shared<ConnectedPairs>(
        device, rank, std::move(sockets), limit);
  }
};

// Gives the calling thread, and the threads that it starts, the kernel's batch
// class. Gloo's thread spins while another thread sends on a connection that it
// wants to read; if it preempts the sender, it keeps the core for milliseconds.
// A batch thread gets the same share of time, but does not preempt a running
// thread. Leaves a thread alone whose class is not the default.
class BatchScheduling {
 public:
  BatchScheduling() : changed_(sched_getscheduler(0) == SCHED_OTHER) {
    if (changed_) Set(SCHED_BATCH);
  }
  ~BatchScheduling() {
    if (changed_) Set(SCHED_OTHER);
  }
  BatchScheduling(const BatchScheduling&) = delete;
  BatchScheduling& operator=(const BatchScheduling&) = delete;

 private:
  // If the kernel refuses, this thread is only slower.
  static void Set(int policy) {
    const sched_param none = {};
    sched_setscheduler(0, policy, &none);
  }

  const bool changed_;
};

// Where a worker can be reached.
struct Endpoint {
  std::shared_ptr<tcp::Device> device;
  std::unique_ptr<GreetedPort> port;
};

Endpoint ListenOn(const tcp::attr& wanted) {
  const tcp::attr found = tcp::CreateDeviceAttr(wanted);
  auto port = std::make_unique<GreetedPort>(found.ai_addr, found.ai_addrlen);
  const BatchScheduling batch;  // for the thread that a device starts
  return {MakePrivateDevice(found), std::move(port)};
}

// A host name's numeric addresses. Errors: NotFound.
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

// Gloo reads uninitialized memory if a name does not resolve, so it is given
// addresses: the first on which this machine can listen.
Endpoint ListenAt(const std::string& name) {
  std::string problem = "it has no address";
  for (const std::string& address : Resolve(name)) {
    try {
      tcp::attr attributes;
      attributes.hostname = address;
      return ListenOn(attributes);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  throw InvalidArgument("{}", problem);
}

Endpoint Listen(const GlooOptions& options) {
  if (options.interface_name.empty()) return ListenAt(options.address);
  tcp::attr attributes;
  attributes.iface = options.interface_name;
  return ListenOn(attributes);
}

// The error that all workers get for `problem`.
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

// Connects with all workers.
GlooContexts Connect(const Endpoint& endpoint, ControlPlane& control,
                     const std::vector<std::string>& contacts,
                     const GlooOptions& options, Deadline deadline) {
  const int rank = control.worker().value();
  Interrupt interrupt;
  const auto watch =
      control.OnFailure([&interrupt](const Error&) { interrupt.Set(); });
  auto sockets =
      endpoint.port->ConnectWithAll(rank, contacts, 2, interrupt, deadline);
  const auto make = [&](std::vector<Socket>& of_way) {
    return std::make_shared<FullMesh>(endpoint.device, rank, std::move(of_way),
                                      options.connect_limit);
  };
  return {make(sockets[0]), make(sockets[1])};
}

}  // namespace

GlooContexts ConnectGloo(ControlPlane& control, const GlooOptions& options) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + options.connect_limit;
  const HeldSignals held(
      {SIGPIPE});  // for the thread that a device starts, too
  Introduction mine;
  Endpoint endpoint;
  try {
    endpoint = Listen(options);
    mine.facts = {endpoint.port->contact()};
  } catch (const std::exception& error) {
    mine.error = CannotListen(control, options, error);
  }
  std::vector<std::string> contacts;
  for (const auto& facts :
       Introduce(control, "MakeGlooGroup", mine, deadline)) {
    contacts.push_back(facts.at(0));
  }
  GlooContexts contexts;
  std::string failure;
  try {
    contexts = Connect(endpoint, control, contacts, options, deadline);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const auto failures =
      control.Exchange("MakeGlooGroup: connected", failure, deadline);
  for (size_t w = 0; w < failures.size(); ++w) {
    if (failures[w].empty()) continue;
    throw Unavailable("[MakeGlooGroup] worker {} cannot connect: {}", w,
                      failures[w]);
  }
  return contexts;
}

}  // namespace lockstep::collectives_internal
