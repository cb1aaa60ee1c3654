// A worker's process is killed or stopped in the middle of all-reduces of 25
// MiB: what the others get and what mpirun does.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "reference/cluster/control/worker_process_testing.h"
#include "reference/collectives/mpi/mpirun_testing.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

struct Fault {
  std::string name;
  int signal;
  int heartbeat_ms;  // when a stopped worker counts as gone
  std::string code;
  int noticed_within_ms;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << fault.name;
}

// Three workers that mpirun started.
class Job {
 public:
  explicit Job(int heartbeat_ms, const std::vector<std::string>& flags = {})
      : mpirun_("/usr/bin/env",
                MpirunArguments(3, "reference/collectives/mpi/mpi_worker",
                                {std::to_string(heartbeat_ms)}, flags)) {}
  // mpirun ends with its last worker, and removes what they shared.
  ~Job() {
    for (const auto& [worker, process] : processes_) kill(process, SIGKILL);
    if (processes_.size() < 3) return;
    while (!mpirun_.ReadLine().empty()) {
    }
  }

  // Waits until all have reduced once.
  void WaitUntilBegun() {
    for (std::string line; processes_.size() < 3;) {
      line = mpirun_.ReadLine();
      std::istringstream words(line);
      std::string begun;
      int worker = 0;
      pid_t process = 0;
      words >> begun >> worker >> process;
      ASSERT_EQ(begun, "begun") << line;
      processes_[worker] = process;
    }
  }
  pid_t process(int worker) { return processes_.at(worker); }
  std::string ReadLine() { return mpirun_.ReadLine(); }

 private:
  WorkerProcess mpirun_;
  std::map<int, pid_t> processes_;
};

// A zombie, such as mpirun's child after mpirun's end, is not alive.
bool IsAlive(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string number, name, state;
  file >> number >> name >> state;
  return !state.empty() && state != "Z";
}

class MpiProcessTest : public testing::TestWithParam<Fault> {};

TEST_P(MpiProcessTest, TheOthersGetAFaultInAnAllReduce) {
  const Fault& fault = GetParam();
  // Without it mpirun ends the others when one is killed.
  Job job(fault.heartbeat_ms, {"--enable-recovery"});
  ASSERT_NO_FATAL_FAILURE(job.WaitUntilBegun());
  std::this_thread::sleep_for(milliseconds(50));
  ASSERT_EQ(kill(job.process(1), fault.signal), 0);
  for (int other = 0; other < 2; ++other) {
    const std::string line = job.ReadLine();
    std::istringstream words(line);
    std::string ended, code;
    int worker = 0, waited_ms = 0;
    words >> ended >> worker >> code >> waited_ms;
    EXPECT_EQ(ended, "ended") << line;
    EXPECT_EQ(code, fault.code) << line;
    // A worker may wait for one that waits for the stopped worker.
    const bool knows_who = code == "Unavailable";
    EXPECT_NE(line.find(knows_who ? "worker 1 is gone" : "worker"),
              std::string::npos)
        << line;
    EXPECT_LT(waited_ms, fault.noticed_within_ms) << line;
  }
}

// A killed process is noticed at once. A stopped one is noticed when its
// heartbeats are missed, or, if that takes longer, when it has sent nothing for
// a second. Each limit includes the time of an all-reduce and a second for a
// busy machine.
INSTANTIATE_TEST_SUITE_P(
    , MpiProcessTest,
    testing::Values(Fault{"Killed", SIGKILL, 10'000, "Unavailable", 2000},
                    Fault{"StoppedMissedByHeartbeats", SIGSTOP, 300,
                          "Unavailable", 2400},
                    Fault{"StoppedMissedByTheGroup", SIGSTOP, 60'000,
                          "DeadlineExceeded", 3000}),
    [](const auto& info) { return info.param.name; });

// mpirun's default: no worker is left waiting, and no process remains.
TEST(MpirunTest, AKilledWorkerEndsAll) {
  Job job(10'000);
  ASSERT_NO_FATAL_FAILURE(job.WaitUntilBegun());
  ASSERT_EQ(kill(job.process(1), SIGKILL), 0);
  const auto begin = std::chrono::steady_clock::now();
  while (!job.ReadLine().empty()) {
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(5000));
  for (int worker = 0; worker < 3; ++worker) {
    EXPECT_FALSE(IsAlive(job.process(worker))) << worker;
  }
}

}  // namespace
}  // namespace lockstep
