#include "reference/collectives/gloo/greeted_sockets.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::collectives_internal {
namespace {

sockaddr_storage Loopback() {
  sockaddr_storage address = {};
  auto& in = reinterpret_cast<sockaddr_in&>(address);
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

GreetedPort NewPort() { return GreetedPort(Loopback(), sizeof(sockaddr_in)); }

// The address at the beginning of a contact.
sockaddr_in AddressIn(const std::string& contact) {
  sockaddr_in address = {};
  std::memcpy(&address, contact.data(), sizeof(address));
  return address;
}

Socket ConnectTo(const sockaddr_in& address) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                    sizeof(address)),
            0);
  return socket;
}

class GreetedPortTest : public testing::Test {
 protected:
  // One connection between two workers, as worker `rank`.
  std::vector<std::vector<Socket>> Connect(GreetedPort& port, int rank) {
    return port.ConnectWithAll(rank, contacts_, 1, interrupt_, deadline_);
  }

  std::vector<std::string> contacts_;
  Interrupt interrupt_;
  Deadline deadline_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
};

TEST_F(GreetedPortTest, BothEndsHaveTheSameConnection) {
  GreetedPort first = NewPort(), second = NewPort();
  contacts_ = {first.contact(), second.contact()};
  auto calling =
      std::async(std::launch::async, [&] { return Connect(second, 1); });
  const auto heard = Connect(first, 0);
  const auto called = calling.get();
  ASSERT_EQ(send(called[0][0].get(), "word", 4, 0), 4);
  char word[4];
  ASSERT_EQ(recv(heard[0][1].get(), word, 4, MSG_WAITALL), 4);
  EXPECT_EQ(std::string(word, 4), "word");
}

TEST_F(GreetedPortTest, AWorkerThatIsGoneIsNamed) {
  std::optional<GreetedPort> gone(NewPort());
  GreetedPort port = NewPort();
  contacts_ = {gone->contact(), port.contact()};
  gone.reset();
  ExpectError([&] { Connect(port, 1); }, Code::kUnavailable,
              "worker 0 cannot be reached: Connection refused");
}

TEST_F(GreetedPortTest, AnotherProcessInAWorkersPlaceIsDetected) {
  GreetedPort port = NewPort();
  Socket other(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage address = Loopback();
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(other.get(), any, sizeof(sockaddr_in)), 0);
  ASSERT_EQ(listen(other.get(), 1), 0);
  ASSERT_EQ(getsockname(other.get(), any, &size), 0);
  std::string contact = port.contact();
  std::memcpy(contact.data(), &address, sizeof(sockaddr_in));
  contacts_ = {contact, port.contact()};
  std::thread answering([&] {
    const Socket caller(accept(other.get(), nullptr, nullptr));
    send(caller.get(), std::string(sizeof(Secret), 'x').data(), sizeof(Secret),
         MSG_NOSIGNAL);
    char rest[100];
    while (recv(caller.get(), rest, sizeof(rest), 0) > 0) {
    }
  });
  ExpectError([&] { Connect(port, 1); }, Code::kUnavailable,
              "another process answers in place of worker 0");
  answering.join();
}

TEST_F(GreetedPortTest, AWaitEndsWithTheDeadlineOrTheJob) {
  GreetedPort port = NewPort();
  contacts_ = {port.contact(), port.contact()};
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  ExpectError([&] { Connect(port, 0); }, Code::kDeadlineExceeded,
              "while it waits for worker 1; 0 unknown clients were refused");
  deadline_ = kNoDeadline;
  interrupt_.Set();
  ExpectError([&] { Connect(port, 0); }, Code::kCancelled,
              "the job has failed while it waits for worker 1");
}

// Leaves the process no free descriptor.
TEST_F(GreetedPortTest, WithoutAFreeDescriptorAcceptFails) {
  GreetedPort port = NewPort();
  contacts_ = {port.contact(), port.contact()};
  const Socket client = ConnectTo(AddressIn(port.contact()));
  const Socket next(open("/dev/null", O_RDONLY | O_CLOEXEC));
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none_left = before;
  none_left.rlim_cur = next.get() + 1;
  setrlimit(RLIMIT_NOFILE, &none_left);
  ExpectError(
      [&] { Connect(port, 0); }, Code::kResourceExhausted,
      "cannot accept a worker's call: Too many open files; raise ulimit -n");
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace lockstep::collectives_internal
