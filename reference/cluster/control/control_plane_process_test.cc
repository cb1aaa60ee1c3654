// A worker's process is killed or stopped: the others get the error.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <thread>

#include "reference/base/error_testing.h"
#include "reference/cluster/control/grpc_control_plane_testing.h"
#include "reference/cluster/control/worker_process_testing.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Fault {
  int signal;
  milliseconds heartbeat_timeout;
};

// Extra time for a busy machine.
constexpr milliseconds kSlack(10000);

class ControlPlaneProcessTest : public testing::TestWithParam<Fault> {
 protected:
  static ControlPlaneOptions Options() {
    ControlPlaneOptions options;
    options.heartbeat_interval = milliseconds(100);
    options.heartbeat_timeout = GetParam().heartbeat_timeout;
    return options;
  }
  static WorkerProcess Start(int worker, int port, const char* then) {
    return WorkerProcess(
        "reference/cluster/control/control_plane_worker",
        {std::to_string(worker), "3", std::to_string(port), then,
         std::to_string(GetParam().heartbeat_timeout.count())});
  }

  // Sends the signal while `control` waits. Its error must soon name the
  // worker.
  void ExpectNoticed(ControlPlane& control, WorkerProcess& process,
                     const std::string& worker) {
    control.Barrier("ready", kNoDeadline);
    std::thread fault([&] {
      std::this_thread::sleep_for(milliseconds(100));
      process.Send(GetParam().signal);
    });
    const auto start = steady_clock::now();
    ExpectError([&] { control.Barrier("never", kNoDeadline); },
                Code::kUnavailable, worker);
    EXPECT_LT(steady_clock::now() - start, kSlack);
    fault.join();
  }
};

TEST_P(ControlPlaneProcessTest, AWorkersFaultIsNoticedByAll) {
  Chief chief = StartChief(WorkerOf(3, 0), Options());
  WorkerProcess faulty = Start(1, chief.port, "sleep");
  WorkerProcess bystander = Start(2, chief.port, "wait");
  const auto control = chief.control.get();
  ExpectNoticed(*control, faulty, "worker 1");
  EXPECT_NE(bystander.ReadLine().find("worker 1 is gone"), std::string::npos);
}

TEST_P(ControlPlaneProcessTest, TheChiefsFaultIsNoticedByWorkers) {
  WorkerProcess chief = Start(0, 0, "sleep");
  ControlPlaneOptions options = Options();
  options.chief = WorkerAddress{kTestHost, std::stoi(chief.ReadLine())};
  WorkerProcess bystander = Start(2, options.chief->port, "wait");
  const auto control = ConnectControlPlane(WorkerOf(3, 1), options);
  ExpectNoticed(*control, chief, "worker 0");
  EXPECT_NE(bystander.ReadLine().find("worker 0"), std::string::npos);
}

// A killed process is noticed at once, long before a heartbeat would be missed;
// a stopped one after a second and the timeout.
INSTANTIATE_TEST_SUITE_P(, ControlPlaneProcessTest,
                         testing::Values(Fault{SIGKILL,
                                               std::chrono::minutes(1)},
                                         Fault{SIGSTOP, milliseconds(1500)}),
                         [](const auto& info) {
                           return info.param.signal == SIGKILL ? "Killed"
                                                               : "Stopped";
                         });

}  // namespace
}  // namespace lockstep
