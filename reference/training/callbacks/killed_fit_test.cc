// Kills fit at each system call that writes. Its files can be read, and the next run
// ends as if the first had not been killed.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/data/dataset.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/shuffled_fit_testing.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

constexpr int kKilledEpochs = 2;

// Trains y = k x with Adam, two batches per epoch. Writes a backup and a log; other
// tests have the other files.
float TrainInto(const std::string& folder) {
  SetRandomSeed(3);
  const Sequential model(
      {Input({1}), Dense(1, {.use_bias = false,
                             .kernel_initializer = initializers::Constant(1),
                             .name = "slope"})});
  model.Compile({.optimizer = "adam", .loss = losses::MeanSquaredError()});
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{4, 1});
  model.Fit(
      {x, Tensor::Zeros({4, 1})},
      {.batch_size = 2,
       .epochs = kKilledEpochs,
       .callbacks = {MakeCallback<CSVLogger>(folder + "/log.csv", ",", true),
                     MakeCallback<BackupAndRestore>(
                         folder + "/backup",
                         BackupAndRestoreOptions{.delete_checkpoint = false})},
       .verbose = Verbose::kSilent});
  return model.variables()[0]->Read().item<float>();
}

// Expects that the log, if there is one, has complete lines.
void ExpectReadable(const std::string& folder) {
  if (!std::filesystem::exists(folder + "/log.csv")) return;
  const std::string text = ReadWholeFile(folder + "/log.csv");
  EXPECT_TRUE(text.starts_with("epoch,loss\n0,")) << text;
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST(KilledFitTest, AtEverySystemCall) {
  const TestFolder whole;
  const float expected = TrainInto(whole.path());
  int which = 1;
  for (bool killed = true; killed; ++which) {
    const TestFolder folder;
    killed = KilledAt(which, [&] { TrainInto(folder.path()); });
    ExpectReadable(folder.path());
    EXPECT_EQ(TrainInto(folder.path()), expected) << which;
    ExpectReadable(folder.path());
    const std::string rows = ReadWholeFile(folder / "log.csv");
    EXPECT_TRUE(std::ranges::count(rows, '\n') >= 1 + kKilledEpochs) << rows;
    EXPECT_NE(rows.find("\n1,"), rows.npos) << rows;
  }
  EXPECT_GT(which, 20);  // so many calls write
}

// Runs `work` in a process and kills it after the given time. Returns true if it
// ended before.
bool EndsBefore(std::chrono::microseconds time,
                const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  std::this_thread::sleep_for(time);
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFEXITED(status);
}

std::vector<float> FitOnReplicas(const TestFolder& folder, int replicas) {
  const auto strategy = MakeStrategy(replicas);
  return FitShuffled(*strategy, folder.path());
}

TEST(KilledFitTest, AtRandomTimes) {
  for (const int replicas : {1, 2}) {
    const auto began = std::chrono::steady_clock::now();
    const TestFolder whole;
    const std::vector<float> expected = FitOnReplicas(whole, replicas);
    const std::string log = ReadWholeFile(whole / "log.csv");
    EXPECT_TRUE(log.starts_with("epoch,loss,mae\n")) << log;
    const auto longest = std::chrono::duration_cast<std::chrono::microseconds>(
        (std::chrono::steady_clock::now() - began) * 5 / 4);
    for (int kills = 0; kills < 10 * TestRounds();) {
      const TestFolder folder;
      const auto fit = [&] { FitOnReplicas(folder, replicas); };
      kills += KillsUntilTheEnd(longest, [&](std::chrono::microseconds time) {
        return EndsBefore(time, fit);
      });
      EXPECT_EQ(FitOnReplicas(folder, replicas), expected);
      EXPECT_EQ(ReadWholeFile(folder / "log.csv"), log);
    }
  }
}

}  // namespace
}  // namespace lockstep
