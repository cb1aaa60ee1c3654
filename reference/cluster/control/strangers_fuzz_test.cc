// Bytes of strangers on the chief's port, while a job runs: the job goes on.
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

// So many strangers are there at a time.
constexpr size_t kStrangers = 16;

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
    strangers_.fill(-1);
  }

  // The connection stays open until others have taken its place.
  void Disturb(const uint8_t* bytes, size_t size) {
    const int stranger = socket(AF_INET, SOCK_STREAM, 0);
    LOCKSTEP_CHECK(stranger >= 0);
    LOCKSTEP_CHECK(connect(stranger,
                           reinterpret_cast<const sockaddr*>(&address_),
                           sizeof(address_)) == 0);
    // The chief may have hung up before it has heard all.
    [[maybe_unused]] const ssize_t sent =
        send(stranger, bytes, size, MSG_NOSIGNAL);
    int& place = strangers_[next_++ % kStrangers];
    if (place >= 0) close(place);
    place = stranger;
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
  std::array<int, kStrangers> strangers_;
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
