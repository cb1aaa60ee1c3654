// What remains when a process is killed or stopped.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/cluster/control/worker_process_testing.h"
#include "reference/parameter_server/variables/parameter_client.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<WorkerProcess> Start(std::vector<std::string> arguments) {
  return std::make_unique<WorkerProcess>(
      "reference/parameter_server/variables/parameter_server_process_testing",
      std::move(arguments));
}

class LostProcessTest : public testing::Test {
 protected:
  LostProcessTest() { port_ = std::stoi(server_->ReadLine()); }

  std::unique_ptr<ParameterClient> Connect(ParameterServerRole role) const {
    return std::make_unique<ParameterClient>(
        ParameterServerCluster{.role = role,
                               .index = 0,
                               .coordinator = {"127.0.0.1", 1},
                               .workers = {{"127.0.0.1", 2}},
                               .servers = {{"127.0.0.1", port_}}},
        ControlPlaneOptions{.heartbeat_interval = 100ms,
                            .heartbeat_timeout = 300ms},
        Deadline::clock::now() + 30s);
  }
  // Waits until the server's loss is noticed, and returns how long it took.
  static std::chrono::duration<double> TimeToLoss(ParameterClient& client) {
    const auto began = Deadline::clock::now();
    EXPECT_THROW(client.Await(99, "never"), rpc::PeerLost);
    return Deadline::clock::now() - began;
  }

  std::unique_ptr<WorkerProcess> server_ = Start({"server", "0"});
  int port_;
};

TEST_F(LostProcessTest, AKilledServerIsLostAtOnce) {
  const auto coordinator = Connect(ParameterServerRole::kCoordinator);
  const auto worker = Connect(ParameterServerRole::kWorker);
  server_->Send(SIGKILL);
  EXPECT_LT(TimeToLoss(*coordinator), 5s);
  EXPECT_LT(TimeToLoss(*worker), 5s);
}

TEST_F(LostProcessTest, AStoppedServerIsLostAfterTheHeartbeatsTimeout) {
  const auto coordinator = Connect(ParameterServerRole::kCoordinator);
  server_->Send(SIGSTOP);
  const auto time = TimeToLoss(*coordinator);
  EXPECT_GT(time, 200ms);
  EXPECT_LT(time, 10s);
}

TEST_F(LostProcessTest, AServerThatIsStartedAgainIsAnotherOne) {
  const auto coordinator = Connect(ParameterServerRole::kCoordinator);
  const auto worker = Connect(ParameterServerRole::kWorker);
  coordinator->Create({}, "v", Tensor::Scalar(1.0f));
  EXPECT_EQ(worker->Read({{}})[0].value.item<float>(), 1);
  server_.reset();
  server_ = Start({"server", std::to_string(port_)});
  EXPECT_EQ(server_->ReadLine(), std::to_string(port_) + "\n");
  EXPECT_THROW(coordinator->Read({{}}), rpc::PeerLost);
  EXPECT_THROW(worker->Read({{}}), rpc::PeerLost);
}

TEST_F(LostProcessTest, TheServerEndsWithAKilledCoordinator) {
  const auto coordinator = Start({"coordinator", std::to_string(port_)});
  EXPECT_EQ(coordinator->ReadLine(), "ready\n");
  coordinator->Send(SIGKILL);
  EXPECT_EQ(server_->ReadLine(), "ended\n");
}

TEST_F(LostProcessTest, TheServerEndsWithAStoppedCoordinator) {
  const auto coordinator = Start({"coordinator", std::to_string(port_)});
  EXPECT_EQ(coordinator->ReadLine(), "ready\n");
  coordinator->Send(SIGSTOP);
  EXPECT_EQ(server_->ReadLine(), "ended\n");
}

// It was stopped for so long that the server has dropped its connection.
TEST_F(LostProcessTest, AWorkerThatWasStoppedGoesOn) {
  const auto coordinator = Connect(ParameterServerRole::kCoordinator);
  coordinator->Create({}, "v", Tensor::Scalar(0.0f));
  constexpr int kCount = 200;
  const auto worker =
      Start({"worker", std::to_string(port_), std::to_string(kCount)});
  EXPECT_EQ(worker->ReadLine(), "1\n");
  worker->Send(SIGSTOP);
  std::this_thread::sleep_for(2500ms);
  worker->Send(SIGCONT);
  for (int i = 2; i <= kCount; ++i) {
    ASSERT_EQ(worker->ReadLine(), std::to_string(i) + "\n");
  }
  EXPECT_EQ(coordinator->Read({{}})[0].value.item<float>(), kCount);
}

}  // namespace
}  // namespace lockstep
