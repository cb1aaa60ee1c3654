// Unknown clients connect to the ports on which workers wait for each other:
// the job continues, and its sums are right.
#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/log.h"
#include "reference/collectives/gloo/gloo_testing.h"
#include "reference/collectives/gloo/greeted_sockets.h"

namespace lockstep {
namespace {

using collectives_internal::Greeting;
using collectives_internal::Socket;

constexpr int kClients = 200;  // of each kind, at each port

sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// The ports on which this process listens.
std::vector<int> PortsOfThisProcess() {
  std::vector<int> ports;
  DIR* const folder = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    int listens = 0;
    socklen_t size = sizeof(listens);
    sockaddr_in address = {};
    socklen_t address_size = sizeof(address);
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) ==
            0 &&
        listens != 0 &&
        getsockname(descriptor, reinterpret_cast<sockaddr*>(&address),
                    &address_size) == 0) {
      ports.push_back(ntohs(address.sin_port));
    }
  }
  closedir(folder);
  return ports;
}

// What a client sends, and how its connection ends.
struct UnknownClient {
  enum class End { kStays, kCloses, kResets };

  std::string name;
  std::string sends = "";
  End end = End::kStays;
};

std::ostream& operator<<(std::ostream& out, const UnknownClient& client) {
  return out << client.name;
}

// Returns an empty Socket if no process listens.
Socket ConnectClient(const UnknownClient& client, int port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(port);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) != 0) {
    return Socket();
  }
  [[maybe_unused]] const ssize_t said =
      send(socket.get(), client.sends.data(), client.sends.size(),
           MSG_NOSIGNAL | MSG_DONTWAIT);
  if (client.end == UnknownClient::End::kResets) {
    const linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  if (client.end != UnknownClient::End::kStays) return Socket();
  return socket;
}

std::string GreetingOfAnotherJob() {
  Greeting greeting{.caller = 1, .connection = 0};
  greeting.secret.fill(7);
  return {reinterpret_cast<const char*>(&greeting), sizeof(greeting)};
}

// A message of Gloo's own protocol: 8 bytes for slot 0.
std::string MessageOfGloo(uint64_t opcode) {
  const std::array<uint64_t, 6> preamble = {48 + 8, opcode, 0, 0, 8, 0};
  return std::string(reinterpret_cast<const char*>(preamble.data()),
                     sizeof(preamble)) +
         "rubbish!";
}

std::string Rubbish(size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>((i * 2654435761u) >> 13);
  }
  return text;
}

// Calls `before` when this worker listens and the others do not know where yet.
class WatchedControlPlane final : public ForwardingControlPlane {
 public:
  WatchedControlPlane(std::unique_ptr<ControlPlane> plane,
                      std::function<void()> before)
      : ForwardingControlPlane(std::move(plane)), before_(std::move(before)) {}

  std::vector<std::string> Exchange(std::string_view name,
                                    const std::string& mine,
                                    Deadline deadline) override {
    if (name == "MakeGlooGroup") before_();
    return ForwardingControlPlane::Exchange(name, mine, deadline);
  }

 private:
  const std::function<void()> before_;
};

void SumAndLeave(std::unique_ptr<Group> group) {
  const Tensor mine = Tensor::FromVector<float>({1.0f + group->rank()});
  for (int i = 0; i < 10; ++i) {
    const TensorList sum = group->AllReduce(ReduceOp::kSum, {mine}, {}).Wait();
    EXPECT_EQ(sum[0].at<float>(0), 1 + 2 + 3);
  }
}

class GlooUnknownClientsTest : public testing::TestWithParam<UnknownClient> {};

constexpr int kWorkers = 3;

// Clients connect before any worker calls another, while they do, and after all
// workers are connected.
TEST_P(GlooUnknownClientsTest, TheJobContinuesWithRightSums) {
  const LogCapture log;  // the number of refused clients is random
  std::vector<Socket> before, during, after;
  std::vector<int> ports;
  std::atomic<bool> connected = false;
  std::thread disturbing;
  const auto come = [&](std::vector<Socket>& there) {
    for (const int port : ports)
      there.push_back(ConnectClient(GetParam(), port));
  };
  ControlPlanes planes = MakeThreadControlPlanes(kWorkers);
  planes[0] = std::make_unique<WatchedControlPlane>(std::move(planes[0]), [&] {
    while (ports.size() < kWorkers) ports = PortsOfThisProcess();
    for (int i = 0; i < kClients; ++i) come(before);
    disturbing = std::thread([&] {
      while (!connected && during.size() < kWorkers * kClients) come(during);
    });
  });
  std::vector<std::unique_ptr<Group>> groups;
  const auto errors =
      ConnectAll(planes, std::vector<GlooOptions>(kWorkers), groups);
  connected = true;
  disturbing.join();
  RethrowAny(errors);
  come(after);
  for (const Socket& late : after)
    EXPECT_LT(late.get(), 0) << "no process listens";
  std::vector<std::thread> workers;
  for (auto& group : groups) {
    workers.emplace_back(SumAndLeave, std::move(group));
  }
  for (std::thread& worker : workers) worker.join();
}

const UnknownClient kKinds[] = {
    {.name = "SendsNothing"},
    {.name = "ClosesAtOnce", .end = UnknownClient::End::kCloses},
    {.name = "ResetsAtOnce", .end = UnknownClient::End::kResets},
    {.name = "Rubbish", .sends = Rubbish(1000)},
    {.name = "RubbishAndResets",
     .sends = Rubbish(1000),
     .end = UnknownClient::End::kResets},
    {.name = "MuchRubbish", .sends = Rubbish(100'000)},
    {.name = "Zeros", .sends = std::string(sizeof(Greeting), '\0')},
    {.name = "HalfAGreeting",
     .sends = GreetingOfAnotherJob().substr(0, sizeof(Greeting) / 2)},
    {.name = "HalfAGreetingAndCloses",
     .sends = GreetingOfAnotherJob().substr(0, sizeof(Greeting) / 2),
     .end = UnknownClient::End::kCloses},
    {.name = "Http", .sends = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
    {.name = "AnotherJob", .sends = GreetingOfAnotherJob()},
    {.name = "BytesOfGloo", .sends = MessageOfGloo(1)},
    {.name = "BufferOfGloo", .sends = MessageOfGloo(0)},
};

INSTANTIATE_TEST_SUITE_P(, GlooUnknownClientsTest, testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lockstep
