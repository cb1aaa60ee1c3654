// A worker's process is killed or stopped in the middle of an all-reduce of 25
// MiB: the others get the error.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "reference/cluster/control/worker_process_testing.h"
#include "reference/collectives/gloo/connect_testing.h"
#include "reference/collectives/mesh/endless_reduction_testing.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

struct Fault {
  std::string name;
  int signal;
  int heartbeat_ms;  // when a stopped worker counts as gone
  std::string code;
  std::string message;
  milliseconds noticed_within;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << fault.name;
}

class GlooProcessTest : public testing::TestWithParam<Fault> {};

TEST_P(GlooProcessTest, TheOthersGetAFaultInAnAllReduce) {
  const Fault& fault = GetParam();
  std::unique_ptr<WorkerProcess> faulty, bystander;
  const auto start = [&](int worker, int port) {
    return std::make_unique<WorkerProcess>(
        "reference/collectives/gloo/gloo_worker",
        std::vector<std::string>{std::to_string(worker), "3",
                                 std::to_string(port),
                                 std::to_string(fault.heartbeat_ms)});
  };
  ControlPlaneOptions options = OptionsWithHeartbeat(fault.heartbeat_ms);
  options.chief = WorkerAddress{"127.0.0.1", 0};
  options.listening = [&](int port) {
    faulty = start(1, port);
    bystander = start(2, port);
  };
  std::optional<std::thread> signals;
  const ConnectedWorker worker = ConnectWorker(0, 3, options);
  const ReductionEnd end = ReduceUntilItFails(*worker.group, [&] {
    signals.emplace([&] {
      std::this_thread::sleep_for(milliseconds(150));
      faulty->Send(fault.signal);
    });
  });
  ASSERT_TRUE(signals) << end.message;  // before the fault
  signals->join();
  EXPECT_EQ(end.code, fault.code) << end.message;
  EXPECT_NE(end.message.find(fault.message), std::string::npos) << end.message;
  EXPECT_LT(end.waited, fault.noticed_within);
  const std::string line = bystander->ReadLine();
  EXPECT_TRUE(line.starts_with(fault.code)) << line;
  EXPECT_NE(line.find(fault.message), std::string::npos) << line;
}

// A killed process is noticed at once. A stopped one is noticed when its
// heartbeats are missed, or, if that takes longer, when it has sent nothing for
// a second. Each limit includes the time of an all-reduce and a second for a
// busy machine.
INSTANTIATE_TEST_SUITE_P(
    , GlooProcessTest,
    testing::Values(Fault{"Killed", SIGKILL, 10'000, "Unavailable",
                          "worker 1 is gone", milliseconds(2000)},
                    Fault{"StoppedMissedByHeartbeats", SIGSTOP, 300,
                          "Unavailable", "worker 1", milliseconds(2400)},
                    Fault{"StoppedMissedByTheGroup", SIGSTOP, 60'000,
                          "DeadlineExceeded", "worker 1", milliseconds(3000)}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lockstep
