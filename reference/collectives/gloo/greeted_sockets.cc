// How it works. Of every two workers the higher one calls the lower one, as
// many times as there are connections:
//
//   worker 2, the caller                     worker 0, the callee
//   connect                      -------->   accept: one of callers_
//   secret of 0, "2", connection -------->   read; is the secret mine, "2"
//                                            above me, the connection missing?
//   read; is the secret mine?    <--------   secret of 2
//   done                                     done
//
// So each end proves that it has read the contacts, which were exchanged over
// the control plane. A worker first calls all below it, one after the other,
// then accepts all above it. Worker 0 calls none, so it accepts at once; its
// answers let worker 1 accept, and so on. Calls that come too early wait in the
// kernel's queue of the listening socket.
//
// Any process can connect to the port, so callers are not trusted: one that
// sends a wrong greeting, or none, costs a descriptor until it is closed. At
// most kMostCallers such connections are open; the oldest is closed to make
// room. If it was a slow worker's, that worker calls again.
//
// There is one thread. Every wait is a poll() with the deadline and the
// interrupt (Limits), and no read or write blocks.
#include "reference/collectives/gloo/greeted_sockets.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <deque>
#include <optional>

#include "reference/base/error.h"
#include "reference/base/log.h"

namespace lockstep::collectives_internal {
namespace {

using std::chrono::milliseconds;

// How many connections may be open that have not sent a whole greeting. The
// oldest is closed to make room; a worker calls again.
constexpr size_t kMostCallers = 64;
constexpr milliseconds kCallAgainAfter(10);

struct Contact {
  sockaddr_storage address = {};
  socklen_t size = 0;
  Secret secret = {};
};

Contact ReadContact(const std::string& text) {
  Contact contact;
  if (text.size() != sizeof(contact)) {
    throw DataLoss("a worker's contact has {} bytes, not {}", text.size(),
                   sizeof(contact));
  }
  std::memcpy(&contact, text.data(), sizeof(contact));
  return contact;
}

// Compares in constant time.
bool Same(const Secret& a, const Secret& b) {
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

Error OutOfDescriptors(const char* what) {
  return ResourceExhausted("cannot {}: {}; raise ulimit -n", what,
                           std::strerror(errno));
}

bool IsExhausted() {
  return errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
         errno == ENOMEM;
}

// A T that arrives in parts.
template <typename T>
struct Incoming {
  T value = {};
  size_t bytes = 0;

  bool whole() const { return bytes == sizeof(T); }
  // Reads what has arrived, but nothing after the T. Returns false if the
  // connection has ended.
  bool Read(int descriptor) {
    while (!whole()) {
      const ssize_t n =
          recv(descriptor, reinterpret_cast<char*>(&value) + bytes,
               sizeof(T) - bytes, MSG_DONTWAIT);
      if (n > 0) {
        bytes += n;
      } else if (n == 0 || errno != EINTR) {
        return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
      }
    }
    return true;
  }
};

// Sends a few bytes, which fit into a new connection's buffer.
template <typename T>
bool SendWhole(int descriptor, const T& value) {
  return send(descriptor, &value, sizeof(T), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         sizeof(T);
}

// What ends a wait: a deadline or an interrupt.
struct Limits {
  const Interrupt& interrupt;
  Deadline deadline;

  // Waits for one of `descriptors`, or until `at_most` is over.
  void Await(std::vector<pollfd>& descriptors, const char* what,
             milliseconds at_most = milliseconds(INT_MAX)) const {
    const auto left = std::chrono::ceil<milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds(0))
      throw DeadlineExceeded("no time is left {}", what);
    descriptors.push_back({interrupt.descriptor(), POLLIN, 0});
    const int ready = poll(descriptors.data(), descriptors.size(),
                           static_cast<int>(std::min(left, at_most).count()));
    const bool interrupted = ready > 0 && descriptors.back().revents != 0;
    descriptors.pop_back();
    if (ready < 0 && errno != EINTR) throw OutOfDescriptors("wait");
    if (interrupted) throw Cancelled("the job has failed {}", what);
    if (ready <= 0) {
      for (pollfd& one : descriptors) one.revents = 0;
    }
  }
};

Socket NewSocket(int family) {
  Socket made(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.get() < 0) throw OutOfDescriptors("open a socket");
  return made;
}

// Returns a connection that worker `callee` has answered; nullopt if it hung up
// first, as a worker with too many other callers does.
std::optional<Socket> CallOnce(int callee, const Contact& contact,
                               const Greeting& greeting, const Secret& mine,
                               const Limits& limits) {
  const std::string what = fmt::format("while it waits for worker {}", callee);
  Socket socket = NewSocket(contact.address.ss_family);
  std::vector<pollfd> waited = {{socket.get(), POLLOUT, 0}};
  int problem = 0;
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&contact.address),
              contact.size) != 0) {
    problem = errno;
    if (problem == EINPROGRESS || problem == EINTR) {
      while (waited[0].revents == 0) limits.Await(waited, what.c_str());
      socklen_t size = sizeof(problem);
      getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
    }
  }
  if (problem == ECONNRESET) return std::nullopt;
  if (problem != 0) {
    throw Unavailable("worker {} cannot be reached: {}", callee,
                      std::strerror(problem));
  }
  if (!SendWhole(socket.get(), greeting)) return std::nullopt;
  Incoming<Secret> answer;
  waited[0].events = POLLIN;
  while (!answer.whole()) {
    limits.Await(waited, what.c_str());
    if (!answer.Read(socket.get())) return std::nullopt;
  }
  if (!Same(answer.value, mine)) {
    throw Unavailable("another process answers in place of worker {}", callee);
  }
  return socket;
}

Socket Call(int callee, const Contact& contact, Greeting greeting,
            const Secret& mine, const Limits& limits) {
  greeting.secret = contact.secret;
  while (true) {
    auto socket = CallOnce(callee, contact, greeting, mine, limits);
    if (socket) return std::move(*socket);
    std::vector<pollfd> none;
    limits.Await(none, "while it calls again", kCallAgainAfter);
  }
}

// Accepts connections until all workers of a higher rank have called.
class Acceptor {
 public:
  Acceptor(int listening, const Secret& mine, int rank,
           const std::vector<Contact>& contacts,
           std::vector<std::vector<Socket>>& sockets)
      : listening_(listening),
        mine_(mine),
        rank_(rank),
        contacts_(contacts),
        sockets_(sockets) {}

  void AcceptAll(const Limits& limits) {
    while (const std::optional<int> missing = FirstMissing()) {
      std::vector<pollfd> waited = {{listening_, POLLIN, 0}};
      for (const Caller& caller : callers_) {
        waited.push_back({caller.socket.get(), POLLIN, 0});
      }
      const std::string what = fmt::format(
          "while it waits for worker {}; {} unknown clients were refused",
          *missing, refused_);
      limits.Await(waited, what.c_str());
      ReadGreetings();
      if (waited[0].revents != 0) AcceptCallers();
    }
    refused_ += callers_.size();
    if (refused_ > 0) {
      LogWarning(
          "[MakeGlooGroup] worker {} refused {} connections of unknown "
          "clients; "
          "is its interface private?",
          rank_, refused_);
    }
  }

 private:
  struct Caller {
    Socket socket;
    Incoming<Greeting> greeting = {};
  };

  std::optional<int> FirstMissing() const {
    for (const auto& of_connection : sockets_) {
      for (size_t w = rank_ + 1; w < of_connection.size(); ++w) {
        if (of_connection[w].get() < 0) return static_cast<int>(w);
      }
    }
    return std::nullopt;
  }

  void ReadGreetings() {
    std::erase_if(callers_, [&](Caller& caller) {
      const bool open = caller.greeting.Read(caller.socket.get());
      if (open && !caller.greeting.whole()) return false;
      if (!open || !Welcome(caller)) ++refused_;
      return true;
    });
  }

  bool Welcome(Caller& caller) {
    const auto& [secret, worker, connection] = caller.greeting.value;
    if (!Same(secret, mine_) || worker <= rank_ ||
        worker >= static_cast<int>(contacts_.size()) || connection < 0 ||
        connection >= static_cast<int>(sockets_.size())) {
      return false;
    }
    // If that worker has hung up, it calls again.
    if (SendWhole(caller.socket.get(), contacts_[worker].secret)) {
      sockets_[connection][worker] = std::move(caller.socket);
    }
    return true;
  }

  void AcceptCallers() {
    while (true) {
      Socket socket(
          accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (socket.get() >= 0) {
        callers_.push_back({std::move(socket)});
        if (callers_.size() > kMostCallers) return CloseOldestCaller();
      } else if (IsExhausted()) {
        if (callers_.empty()) throw OutOfDescriptors("accept a worker's call");
        return CloseOldestCaller();
      } else if (errno != EINTR && errno != ECONNABORTED) {
        return;
      }
    }
  }

  void CloseOldestCaller() {
    callers_.pop_front();
    ++refused_;
  }

  const int listening_;
  const Secret& mine_;
  const int rank_;
  const std::vector<Contact>& contacts_;
  std::vector<std::vector<Socket>>& sockets_;
  std::deque<Caller> callers_;
  size_t refused_ = 0;
};

}  // namespace

Interrupt::Interrupt() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_.get() < 0) throw OutOfDescriptors("wait for workers");
}

void Interrupt::Set() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written =
      write(event_.get(), &one, sizeof(one));
}

GreetedPort::GreetedPort(const sockaddr_storage& address, socklen_t size)
    : listening_(NewSocket(address.ss_family)) {
  sockaddr_storage any_port = address;
  if (address.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(any_port).sin6_port = 0;
  } else {
    reinterpret_cast<sockaddr_in&>(any_port).sin_port = 0;
  }
  if (bind(listening_.get(), reinterpret_cast<const sockaddr*>(&any_port),
           size) != 0 ||
      listen(listening_.get(), SOMAXCONN) != 0 ||
      getrandom(secret_.data(), secret_.size(), 0) !=
          static_cast<ssize_t>(secret_.size())) {
    throw SystemError(errno, "no port for workers");
  }
}

std::string GreetedPort::contact() const {
  Contact contact;
  contact.size = sizeof(contact.address);
  contact.secret = secret_;
  if (getsockname(listening_.get(),
                  reinterpret_cast<sockaddr*>(&contact.address),
                  &contact.size) != 0) {
    throw SystemError(errno, "no address of a port");
  }
  return {reinterpret_cast<const char*>(&contact), sizeof(contact)};
}

std::vector<std::vector<Socket>> GreetedPort::ConnectWithAll(
    int rank, const std::vector<std::string>& contacts, int connections,
    const Interrupt& interrupt, Deadline deadline) {
  std::vector<Contact> all;
  for (const std::string& text : contacts) all.push_back(ReadContact(text));
  std::vector<std::vector<Socket>> sockets(connections);
  for (auto& of_connection : sockets) of_connection.resize(all.size());
  const Limits limits{interrupt, deadline};
  // Worker 0 calls no other, so it accepts at once; every other worker accepts
  // once those below it have answered.
  for (int callee = 0; callee < rank; ++callee) {
    for (int c = 0; c < connections; ++c) {
      sockets[c][callee] =
          Call(callee, all[callee], {.caller = rank, .connection = c}, secret_,
               limits);
    }
  }
  Acceptor(listening_.get(), secret_, rank, all, sockets).AcceptAll(limits);
  listening_ = Socket();
  return sockets;
}

}  // namespace lockstep::collectives_internal
