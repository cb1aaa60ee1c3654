// Fit that is killed at any moment at which it writes: what lies on the disk can
// be read, and the next run ends as if there had been one.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

constexpr int kKilledEpochs = 2;

// y = k x by Adam, two batches an epoch. How models and events are written has
// tests of its own; here is what a run needs to go on, and a log beside it.
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

// Whole lines, of every epoch that was gone on behind.
void ExpectReadable(const std::string& folder) {
  if (!std::filesystem::exists(folder + "/log.csv")) return;
  const std::string text = ReadWholeFile(folder + "/log.csv");
  EXPECT_TRUE(text.starts_with("epoch,loss\n0,")) << text;
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST(KilledFitTest, LeavesWhatCanBeReadAndGoneOnWith) {
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

}  // namespace
}  // namespace lockstep
