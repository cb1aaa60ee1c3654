#include "reference/cluster/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "reference/base/error.h"

namespace lockstep {

int FreePort() {
  const int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = number >= 0 && bind(number, any, size) == 0 &&
                     getsockname(number, any, &size) == 0;
  const int error = errno;
  if (number >= 0) close(number);
  if (!bound) {
    throw Unavailable("[FreePort] there is no port: {}", std::strerror(error));
  }
  return ntohs(address.sin_port);
}

}  // namespace lockstep
