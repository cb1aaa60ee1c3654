#include "reference/parameter_server/rpc/rpc_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/parameter_server/rpc/rpc_server.h"

namespace lockstep::rpc {
namespace {

constexpr auto kSoon = std::chrono::seconds(30);

// Answers by what the request says.
class Echo : public Service {
 public:
  void Joined(const Caller& caller) override {
    if (caller.role == "intruder") {
      throw FailedPrecondition("[Echo] no intruders");
    }
    std::lock_guard lock(mutex_);
    callers_.push_back(caller);
  }
  void Handle(const Caller&, Message request, Done answer) override {
    if (request.head == "fail") throw NotFound("[Echo] nothing here");
    if (request.head == "break") throw std::runtime_error("broken");
    if (request.head == "keep") {
      std::lock_guard lock(mutex_);
      kept_.push_back(std::move(answer));
      changed_.notify_all();
      return;
    }
    answer(std::move(request));
  }
  void Left(const Caller&) override {
    std::lock_guard lock(mutex_);
    ++left_;
    changed_.notify_all();
  }

  void AnswerKept() {
    for (const Done& answer : TakeKept()) answer(Message{"late"});
  }
  void WaitForKept() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kSoon, [&] { return !kept_.empty(); });
  }
  int WaitForLeft(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kSoon, [&] { return left_ >= count; });
    return left_;
  }
  std::vector<Caller> callers() {
    std::lock_guard lock(mutex_);
    return callers_;
  }

 private:
  std::vector<Done> TakeKept() {
    std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Caller> callers_;
  std::vector<Done> kept_;
  int left_ = 0;
};

struct EchoServer {
  explicit EchoServer(const ControlPlaneOptions& options = {})
      : server(std::make_unique<RpcServer>("127.0.0.1:0", options, echo)),
        port(server->port()) {}

  Peer peer() const {
    return {.name = "echo 0", .address = {"127.0.0.1", port}};
  }
  std::unique_ptr<RpcClient> Connect(const Introduction& self = {"worker", 3},
                                     const ControlPlaneOptions& options = {}) {
    return std::make_unique<RpcClient>(peer(), self, options,
                                       Deadline::clock::now() + kSoon);
  }

  Echo echo;
  std::unique_ptr<RpcServer> server;
  int port;
};

TEST(RpcClientTest, SendsAMessageAndGetsItsReply) {
  EchoServer server;
  const auto client = server.Connect();
  const Tensor value = Tensor::FromVector<float>({1, 2});
  const Message reply = client->Call({"hello", {value, Tensor()}});
  EXPECT_EQ(reply.head, "hello");
  EXPECT_TRUE(BitwiseEqual(reply.tensors[0], value));
  EXPECT_FALSE(reply.tensors[1].defined());
  EXPECT_EQ(client->incarnation(), server.server->incarnation());
  ASSERT_EQ(server.echo.callers().size(), 1);
  EXPECT_EQ(server.echo.callers()[0].role, "worker");
  EXPECT_EQ(server.echo.callers()[0].index, 3);
}

TEST(RpcClientTest, SendsTensorsOf64MiB) {
  EchoServer server;
  Tensor value = Tensor::Zeros(Shape{16 << 20});
  value.mutable_data<float>()[0] = 1;
  value.mutable_data<float>()[(16 << 20) - 1] = 2;
  const Message reply = server.Connect()->Call({"", {value}});
  EXPECT_TRUE(BitwiseEqual(reply.tensors[0], value));
}

TEST(RpcClientTest, GetsTheServersErrors) {
  EchoServer server;
  const auto client = server.Connect();
  ExpectError([&] { client->Call({"fail"}); }, Code::kNotFound,
              "[Echo] nothing here");
  ExpectError([&] { client->Call({"break"}); }, Code::kInternal, "broken");
  EXPECT_EQ(client->Call({"still there"}).head, "still there");
}

TEST(RpcClientTest, RepliesMayComeInAnyOrder) {
  EchoServer server;
  const auto client = server.Connect();
  std::promise<std::string> late;
  client->Start({"keep"},
                [&](Outcome outcome) { late.set_value(outcome.Take().head); });
  EXPECT_EQ(client->Call({"first"}).head, "first");
  server.echo.AnswerKept();
  EXPECT_EQ(late.get_future().get(), "late");
}

TEST(RpcClientTest, ThreadsShareIt) {
  EchoServer server;
  const auto client = server.Connect();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string text = std::to_string(t * 100 + i);
        if (client->Call({text}).head == text) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 200);
}

TEST(RpcClientTest, AServerThatEndsIsLost) {
  EchoServer server;
  std::promise<std::string> reported;
  Peer peer = server.peer();
  peer.lost = [&](const PeerLost& lost) { reported.set_value(lost.what()); };
  RpcClient client(peer, {"worker", 0}, {}, Deadline::clock::now() + kSoon);
  std::promise<bool> ended_ok;
  client.Start({"keep"},
               [&](Outcome outcome) { ended_ok.set_value(outcome.ok()); });
  server.echo.WaitForKept();
  server.server.reset();
  EXPECT_FALSE(ended_ok.get_future().get());
  const std::string wanted =
      "[RpcClient] echo 0 (127.0.0.1:" + std::to_string(server.port) +
      ") is lost: it has ended";
  EXPECT_EQ(reported.get_future().get(), wanted);
  EXPECT_THROW(client.Call({"x"}), PeerLost);
  ExpectError([&] { client.Call({"x"}); }, Code::kUnavailable, wanted);
  server.echo.AnswerKept();  // without effect
}

TEST(RpcClientTest, AnotherServerHasAnotherIncarnation) {
  EchoServer first;
  EchoServer second;
  EXPECT_NE(first.server->incarnation(), second.server->incarnation());
}

TEST(RpcClientTest, TheServerIsToldWhenAClientLeaves) {
  EchoServer server;
  server.Connect()->Call({"x"});
  EXPECT_EQ(server.echo.WaitForLeft(1), 1);
}

TEST(RpcClientTest, TheServiceMayRefuse) {
  EchoServer server;
  ExpectError(
      [&] {
        server.Connect({"intruder", 0});
      },
      Code::kFailedPrecondition, "[Echo] no intruders");
  EXPECT_EQ(server.Connect()->Call({"x"}).head, "x");
}

TEST(RpcClientTest, WaitsForTheServer) {
  int port;
  {
    EchoServer taken;
    port = taken.port;
  }
  Echo echo;
  std::unique_ptr<RpcServer> server;
  std::thread starts([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    server = std::make_unique<RpcServer>("127.0.0.1:" + std::to_string(port),
                                         ControlPlaneOptions(), echo);
  });
  RpcClient client({.name = "echo", .address = {"127.0.0.1", port}},
                   {"worker", 0}, {}, Deadline::clock::now() + kSoon);
  starts.join();
  EXPECT_EQ(client.Call({"x"}).head, "x");
}

TEST(RpcClientTest, GivesUpAtTheDeadline) {
  int port;
  {
    EchoServer taken;
    port = taken.port;
  }
  ExpectError(
      [&] {
        RpcClient({.name = "echo", .address = {"127.0.0.1", port}},
                  {"worker", 0}, {},
                  Deadline::clock::now() + std::chrono::milliseconds(50));
      },
      Code::kDeadlineExceeded, "was not reached");
}

TEST(RpcServerTest, RefusesAPortInUse) {
  EchoServer server;
  Echo echo;
  ExpectError(
      [&] {
        RpcServer("127.0.0.1:" + std::to_string(server.port),
                  ControlPlaneOptions(), echo);
      },
      Code::kUnavailable, "the port is in use");
}

}  // namespace
}  // namespace lockstep::rpc
