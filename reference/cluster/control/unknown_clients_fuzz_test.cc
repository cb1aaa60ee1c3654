// Unknown clients send bytes to the chief's port while a job runs: the job
// continues.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/check.h"
#include "reference/cluster/control/grpc_control_plane_testing.h"

namespace lockstep {
namespace {

// How many clients are connected at a time.
constexpr size_t kClients = 16;

class Job {
 public:
  Job() {
    Chief chief = StartChief(WorkerOf(2, 0), {.token = "sesame"});
    ControlPlaneOptions options{.token = "sesame"};
    options.chief = chief.address();
    worker_ = ConnectControlPlane(WorkerOf(2, 1), options);
    first_ = chief.control.get();
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address_.sin_port = htons(static_cast<uint16_t>(chief.port));
    clients_.fill(-1);
  }

  // The connection stays open until kClients later ones have come.
  void Disturb(const uint8_t* bytes, size_t size) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    LOCKSTEP_CHECK(client >= 0);
    LOCKSTEP_CHECK(connect(client, reinterpret_cast<const sockaddr*>(&address_),
                           sizeof(address_)) == 0);
    // The chief may have hung up before it has read everything.
    [[maybe_unused]] const ssize_t sent =
        send(client, bytes, size, MSG_NOSIGNAL);
    int& place = clients_[next_++ % kClients];
    if (place >= 0) close(place);
    place = client;
  }

  void Work() {
    const std::string step = std::to_string(next_);
    const Deadline deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    auto other = std::async(std::launch::async, [&] {
      return worker_->Exchange(step, "b", deadline);
    });
    const std::vector<std::string> wanted = {"a", "b"};
    LOCKSTEP_CHECK(first_->Exchange(step, "a", deadline) == wanted);
    LOCKSTEP_CHECK(other.get() == wanted);
  }

 private:
  std::unique_ptr<ControlPlane> first_, worker_;
  sockaddr_in address_{};
  std::array<int, kClients> clients_;
  size_t next_ = 0;
};

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static lockstep::Job job;
  job.Disturb(data, size);
  job.Work();
  return 0;
}
