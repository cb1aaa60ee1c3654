// What the others see when a worker's process is killed or stopped.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error_testing.h"
#include "reference/cluster/control/grpc_control_plane_testing.h"

extern char** environ;

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr char kProgram[] = "reference/cluster/control/control_plane_worker";

// A worker's process; its end is the test's.
class WorkerProcess {
 public:
  // `then`: what it does once all are there, "wait" or "sleep".
  WorkerProcess(int worker, int num_workers, int port, const char* then,
                milliseconds heartbeat_timeout) {
    int ends[2];
    LOCKSTEP_CHECK(pipe(ends) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::vector<std::string> arguments = {
        kProgram,
        std::to_string(worker),
        std::to_string(num_workers),
        std::to_string(port),
        then,
        std::to_string(heartbeat_timeout.count())};
    std::vector<char*> raw;
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    LOCKSTEP_CHECK(posix_spawn(&process_, kProgram, &actions, nullptr,
                               raw.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
  }
  ~WorkerProcess() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    std::fclose(output_);
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void Send(int signal) { LOCKSTEP_CHECK(kill(process_, signal) == 0); }
  std::string ReadLine() {
    char line[1000] = "";
    return std::fgets(line, sizeof(line), output_) ? line : "";
  }

 private:
  pid_t process_ = 0;
  FILE* output_ = nullptr;
};

struct Fault {
  int signal;
  milliseconds heartbeat_timeout;
};

// What a busy machine may add.
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
    return WorkerProcess(worker, 3, port, then, GetParam().heartbeat_timeout);
  }

  // Sends the signal while `control` waits, which is to name the worker soon.
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

TEST_P(ControlPlaneProcessTest, AWorkersFaultIsToldToTheChiefAndTheOthers) {
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
