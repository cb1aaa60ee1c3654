// How it works. Gloo has no way to close the port of a device, and unregisters
// the descriptor of that port when the device ends. So the descriptor stays,
// but is made another file, which never has an event. That closes the port.
#include "reference/collectives/gloo/private_device.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>

#include "reference/base/error.h"
#include "reference/collectives/gloo/greeted_sockets.h"

namespace lockstep::collectives_internal {
namespace {

namespace tcp = gloo::transport::tcp;

class NoEvents final : public tcp::Handler {
 public:
  void handleEvents(int /*events*/) override {}
};

bool ListensAt(int descriptor, const sockaddr_storage& address) {
  int listens = 0;
  socklen_t size = sizeof(listens);
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 ||
      listens == 0) {
    return false;
  }
  sockaddr_storage own = {};
  size = sizeof(own);
  return getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) ==
             0 &&
         std::memcmp(&own, &address, size) == 0;
}

// The descriptor of this process that listens at an address; -1 if there is
// none.
int FindListener(const sockaddr_storage& address) {
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (ListensAt(descriptor, address)) return descriptor;
  }
  return -1;
}

// `Base` is tcp::Device; only a template can ask what it has.
template <typename Base>
class PrivateDevice final : public Base {
 public:
  explicit PrivateDevice(const tcp::attr& attributes) : Base(attributes) {
    // Versions with a port have addresses of that port.
    if constexpr (requires(PrivateDevice & self) { self.nextAddress(); }) {
      ClosePort(this->nextAddress().getSockaddr());
    }
  }

 private:
  void ClosePort(const sockaddr_storage& address) {
    const int port = FindListener(address);
    if (port < 0) return;
    const Socket silent(eventfd(0, EFD_CLOEXEC));
    if (silent.get() < 0 || dup3(silent.get(), port, O_CLOEXEC) < 0) {
      throw ResourceExhausted("[MakeGlooGroup] cannot close Gloo's port: {}",
                              std::strerror(errno));
    }
    this->registerDescriptor(port, EPOLLIN, &none_);
  }

  NoEvents none_;
};

}  // namespace

std::shared_ptr<tcp::Device> MakePrivateDevice(const tcp::attr& attributes) {
  return std::make_shared<PrivateDevice<tcp::Device>>(attributes);
}

}  // namespace lockstep::collectives_internal
