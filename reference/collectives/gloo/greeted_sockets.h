// Authenticated connections between workers.
//
// A TCP port accepts any process. Here each worker has a secret that it gives
// to the others with its address, over an authenticated channel. A caller sends
// the secret of the worker that it calls, and receives its own. A connection
// that begins with anything else is closed and ignored.
//
//   GreetedPort port(address, size);
//   const auto contacts = ... port.contact() of all workers, by number ...;
//   Interrupt interrupt;               // Set() on any thread ends the wait
//   auto sockets = port.ConnectWithAll(rank, contacts, 2, interrupt, deadline);
//   sockets[1][w];                     // the second connection with worker w
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GREETED_SOCKETS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GREETED_SOCKETS_H_

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/deadline.h"

namespace lockstep::collectives_internal {

// Owns a file descriptor.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.Release()) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// Wakes a thread that waits for sockets.
class Interrupt {
 public:
  // Errors: ResourceExhausted if the process has no descriptor left.
  Interrupt();
  void Set();
  int descriptor() const { return event_.get(); }

 private:
  Socket event_;
};

using Secret = std::array<uint8_t, 32>;

// What a caller sends first. All zeros is no worker's secret.
struct Greeting {
  Secret secret = {};  // of the worker that it calls
  int32_t caller = 0;
  int32_t connection = 0;
};

class GreetedPort {
 public:
  // Listens on any free port of this address. Errors: those of SystemError.
  GreetedPort(const sockaddr_storage& address, socklen_t size);

  // What the others need to call this port. Secret.
  std::string contact() const;

  // Makes `connections` connections with every other worker, and closes the
  // port. Entry [c][w] is connection c with worker w; entry [c][rank] is empty.
  // Errors: Unavailable if a worker is gone or another process answers in its
  // place; DeadlineExceeded; Cancelled after `interrupt`; ResourceExhausted if
  // no descriptor is left.
  std::vector<std::vector<Socket>> ConnectWithAll(
      int rank, const std::vector<std::string>& contacts, int connections,
      const Interrupt& interrupt, Deadline deadline);

 private:
  Socket listening_;
  Secret secret_ = {};
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GREETED_SOCKETS_H_
