// Kills one or both of two workers that fit, at random times. After a restart they end
// as if none had been killed.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/cluster/control/worker_process_testing.h"
#include "reference/training/callbacks/shuffled_fit_testing.h"

namespace lockstep {
namespace {

constexpr char kFittingWorker[] = "reference/training/multi_worker_worker";

// The last line of a worker that has ended.
std::string LastLine(WorkerProcess& worker) {
  std::string last;
  for (std::string line; !(line = worker.ReadLine()).empty();) last = line;
  return last;
}

// The two processes of a job that fits in a folder.
class Job {
 public:
  explicit Job(const TestFolder& folder)
      : chief_(kFittingWorker, {"0", "2", "0", "0", "fits", folder.path()}),
        other_(kFittingWorker,
               {"1", "2", PortOf(chief_), "0", "fits", folder.path()}) {}

  // If one is killed before that, the other waits for the whole time to join.
  void AwaitBegin() {
    EXPECT_EQ(chief_.ReadLine(), "begins\n");
    EXPECT_EQ(other_.ReadLine(), "begins\n");
  }
  WorkerProcess& chief() { return chief_; }
  WorkerProcess& other() { return other_; }

 private:
  static std::string PortOf(WorkerProcess& chief) {
    return std::to_string(std::stoi(chief.ReadLine()));
  }

  WorkerProcess chief_;
  WorkerProcess other_;
};

// The weights of both, as text.
std::string WeightsOf(const TestFolder& folder) {
  Job job(folder);
  job.AwaitBegin();
  const std::string weights = LastLine(job.chief());
  EXPECT_EQ(LastLine(job.other()), weights);
  return weights;
}

enum class Killed { kChief, kOther, kBoth };

// Returns true if no worker was killed before the end.
bool EndsBefore(std::chrono::microseconds time, Killed killed,
                const TestFolder& folder, const std::string& expected) {
  Job job(folder);
  if (killed != Killed::kBoth) job.AwaitBegin();
  std::this_thread::sleep_for(time);
  if (killed != Killed::kOther) job.chief().Send(SIGKILL);
  if (killed != Killed::kChief) job.other().Send(SIGKILL);
  const std::string chief_says = LastLine(job.chief());
  const std::string other_says = LastLine(job.other());
  // The remaining worker ends with an error that names the lost one.
  if (killed == Killed::kChief && other_says != expected) {
    EXPECT_EQ(other_says.substr(0, 13), "Unavailable: ") << other_says;
  }
  if (killed == Killed::kOther && chief_says != expected) {
    EXPECT_EQ(chief_says.substr(0, 13), "Unavailable: ") << chief_says;
  }
  return chief_says == expected && other_says == expected;
}

TEST(KilledWorkersTest, EndAsIfNoneWasKilled) {
  const TestFolder whole;
  const auto began = std::chrono::steady_clock::now();
  const std::string expected = WeightsOf(whole);
  const auto longest = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - began);
  int job = 0;
  for (int kills = 0; kills < 6 * TestRounds(); ++job) {
    const auto killed = static_cast<Killed>(job % 3);
    const TestFolder folder;
    kills += KillsUntilTheEnd(longest, [&](std::chrono::microseconds time) {
      return EndsBefore(time, killed, folder, expected);
    });
    EXPECT_EQ(WeightsOf(folder), expected);
    ExpectSameLosses(folder.path(), whole.path());
    EXPECT_EQ(folder.names(), whole.names());
  }
  RecordProperty("jobs", job);
}

}  // namespace
}  // namespace lockstep
