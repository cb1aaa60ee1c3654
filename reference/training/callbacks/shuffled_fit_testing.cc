#include "reference/training/callbacks/shuffled_fit_testing.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <random>

#include "reference/data/dataset.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/losses/regression_losses.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

// Of epochs 0, 1, ..., each once.
std::vector<double> LossesIn(const std::string& folder) {
  std::ifstream log(folder + "/log.csv");
  std::string line;
  std::getline(log, line);
  EXPECT_EQ(line, "epoch,loss,mae");
  std::vector<double> losses;
  while (std::getline(log, line)) {
    const std::string epoch = std::to_string(losses.size()) + ",";
    EXPECT_TRUE(line.starts_with(epoch)) << line;
    losses.push_back(std::stod(line.substr(epoch.size())));
  }
  return losses;
}

}  // namespace

std::vector<float> FitShuffled(Strategy& strategy, const std::string& folder) {
  SetRandomSeed(3);
  const auto scope = strategy.Scope();
  const Sequential model({Input({1}), Dense(3, {.name = "wide"}),
                          BatchNormalization(), Dense(1, {.name = "narrow"})});
  model.Compile({.optimizer = "adam",
                 .loss = losses::MeanSquaredError(),
                 .metrics = {"mae"},
                 .gradient_accumulation_steps = 2});
  std::vector<float> values(10);
  std::iota(values.begin(), values.end(), 1.0f);
  const Tensor x = Tensor::FromVector(values, Shape{10, 1});
  model.Fit(
      Dataset::FromTensorSlices(Structure::Tuple({x, x}))
          .Shuffle(10, /*seed=*/5)
          .Batch(4),
      {.epochs = 3,
       .callbacks = {MakeCallback<CSVLogger>(folder + "/log.csv"),
                     MakeCallback<BackupAndRestore>(
                         folder + "/backup",
                         BackupAndRestoreOptions{.save_freq = 1,
                                                 .delete_checkpoint = false})},
       .verbose = Verbose::kSilent});
  std::vector<float> weights;
  for (const VariablePtr& variable : model.variables()) {
    const auto of_one = variable->Read().ToVector<float>();
    weights.insert(weights.end(), of_one.begin(), of_one.end());
  }
  return weights;
}

// A metric's sum is saved as the parts of the replicas of the worker that saves, so
// that with several workers the float32 sums may round differently.
void ExpectSameLosses(const std::string& folder, const std::string& other) {
  const std::vector<double> losses = LossesIn(folder);
  const std::vector<double> expected = LossesIn(other);
  ASSERT_EQ(losses.size(), expected.size());
  for (size_t epoch = 0; epoch < losses.size(); ++epoch) {
    EXPECT_NEAR(losses[epoch], expected[epoch], 4e-7 * expected[epoch]);
  }
}

int KillsUntilTheEnd(
    std::chrono::microseconds longest,
    const std::function<bool(std::chrono::microseconds)>& ends_before) {
  static std::mt19937 random{std::random_device{}()};
  std::uniform_real_distribution<> part(0, 1);
  for (int kills = 0;; ++kills) {
    if (ends_before(std::chrono::duration_cast<std::chrono::microseconds>(
            longest * part(random)))) {
      return kills;
    }
    longest += longest / 4;  // in case the machine is busier now
  }
}

}  // namespace lockstep
