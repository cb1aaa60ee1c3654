// A long training with all callbacks does not leak memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/device/memory_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/early_stopping.h"
#include "reference/training/callbacks/learning_rate.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/callbacks/tensor_board.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

// After each of `epochs` epochs on two replicas; a copy of the weights and
// Adam's moments is 3 x 66 KiB.
std::vector<int64_t> BytesAfterEpochs(int epochs, const std::string& folder) {
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const Sequential model({Dense(128), Dense(1)});
  model.Compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  std::vector<int64_t> bytes;
  const LambdaCallback::Functions note{
      .on_epoch_end = [&](int, Logs&) { bytes.push_back(BytesHeld()); }};
  const TrainingData examples = {Tensor::Zeros({32, 128}),
                                 Tensor::Zeros({32, 1})};
  model.Fit(
      examples,
      {.batch_size = 8,
       .epochs = epochs,
       .validation_data = examples,
       .callbacks =
           {MakeCallback<ModelCheckpoint>(folder + "/{epoch}.keras"),
            MakeCallback<LearningRateScheduler>([](int) { return 1e-3; }),
            MakeCallback<ReduceLROnPlateau>(
                ReduceLROnPlateauOptions{.patience = 1000}),
            MakeCallback<TensorBoard>(
                folder + "/logs",
                TensorBoardOptions{.histogram_freq = 1, .update_freq = 1}),
            MakeCallback<EarlyStopping>(EarlyStoppingOptions{
                .patience = 1000, .restore_best_weights = true}),
            MakeCallback<CSVLogger>(folder + "/log.csv"),
            MakeCallback<TerminateOnNaN>(), MakeCallback<LambdaCallback>(note),
            MakeCallback<BackupAndRestore>(
                folder + "/backup", BackupAndRestoreOptions{.save_freq = 2})},
       .verbose = Verbose::kSilent});
  return bytes;
}

// Only the history grows, by a few numbers per epoch.
TEST(FitMemoryTest, HundredEpochsLeakNothing) {
  const TestFolder folder;
  const auto bytes = BytesAfterEpochs(100, folder.path());
  ASSERT_EQ(bytes.size(), 100u);
  if (bytes.back() == 0) GTEST_SKIP() << "a sanitizer has its own allocator";
  const int64_t an_epoch = (bytes[99] - bytes[19]) / 80;
  EXPECT_LT(an_epoch, 256) << "after 20 epochs " << bytes[19] << ", after 60 "
                           << bytes[59] << ", after 100 " << bytes[99];
}

}  // namespace
}  // namespace lockstep
