// Interrupted training resumes as if it had not been interrupted.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

using Doubles = std::vector<double>;

constexpr int kEpochs = 3;
constexpr int kStepsPerEpoch = 3;  // of 10 examples in batches of 4

// Throws before batch `stop_at`, counted over all epochs; -1: never.
struct Recorder : Callback {
  explicit Recorder(int stop_at) : stop_at(stop_at) {}

  void OnTrainBatchBegin(int64_t) override {
    if (static_cast<int>(losses.size()) + begun_at == stop_at) {
      throw Unavailable("[Recorder] crash");
    }
  }
  void OnEpochBegin(int epoch) override {
    if (losses.empty() && begun_at == 0) {
      begun_at = epoch * kStepsPerEpoch + static_cast<int>(progress().step());
    }
  }
  void OnTrainBatchEnd(int64_t, const LazyLogs& logs) override {
    losses.push_back(logs.Get().at("loss"));
  }
  void OnEpochEnd(int, Logs& logs) override {
    epochs.push_back(logs.at("loss"));
    validated.push_back(logs.at("val_loss"));
  }

  int stop_at;
  int begun_at = 0;
  Doubles losses, epochs, validated;
};

struct Outcome {
  std::shared_ptr<Recorder> recorder;
  std::vector<float> weights;
};

// A run like in a new process: each seed has other initial weights and orders.
Outcome Train(int replicas, uint64_t seed, const std::string& backup,
              int stop_at, int64_t save_freq, bool by_steps) {
  const auto strategy = MakeStrategy(replicas);
  const auto scope = strategy->Scope();
  SetRandomSeed(seed);
  ClearSession();
  const Sequential model(
      {Dense(3, {.activation = Activation::kTanh}), Dense(1)});
  model.Compile(
      {.optimizer = std::make_shared<Adam>(AdamOptions{.learning_rate = 0.125}),
       .loss = losses::MeanSquaredError(),
       .metrics = {"mae"}});
  std::vector<float> x(20);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i * 7 % 11) / 8 - 0.5f;
  const Tensor inputs = Tensor::FromVector(x, Shape{10, 2});
  const Tensor truth = Tensor::FromVector(
      std::vector<float>(x.begin(), x.begin() + 10), Shape{10, 1});
  Outcome run{.recorder = std::make_shared<Recorder>(stop_at), .weights = {}};
  FitOptions options{
      .batch_size = 4,
      .epochs = kEpochs,
      .validation_data = TrainingData(inputs, truth),
      .callbacks = {run.recorder,
                    MakeCallback<BackupAndRestore>(
                        backup,
                        BackupAndRestoreOptions{.save_freq = save_freq})},
      .verbose = Verbose::kSilent};
  std::swap(options.callbacks[0], options.callbacks[1]);
  try {
    if (by_steps) {
      options.steps_per_epoch = kStepsPerEpoch;
      options.batch_size = std::nullopt;  // the data has its own
      const Dataset data =
          Dataset::FromTensorSlices(Structure::Tuple({inputs, truth}))
              .Shuffle(10)
              .Repeat()
              .Batch(4);
      model.Fit(data, options);
    } else {
      model.Fit({inputs, truth}, options);
    }
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("crash"), std::string::npos)
        << error.what();
  }
  for (const VariablePtr& variable : model.variables()) {
    const auto values = variable->Read().ToVector<float>();
    run.weights.insert(run.weights.end(), values.begin(), values.end());
  }
  return run;
}

void ExpectNear(const Doubles& got, const Doubles& wanted, double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], tolerance) << i;
  }
}

// The losses after step `begun` of a run that was not interrupted.
Doubles Behind(const Doubles& all, int begun) {
  return Doubles(all.begin() + begun, all.end());
}

TEST(BackupAndRestoreTest, SameLossesFromEachBatch) {
  for (const bool by_steps : {false, true}) {
    for (int stop_at = 1; stop_at < kEpochs * kStepsPerEpoch; ++stop_at) {
      const TestFolder folder;
      const std::string backup = folder / "backup";
      const Outcome first = Train(1, 5, backup, stop_at, 1, by_steps);
      ASSERT_EQ(static_cast<int>(first.recorder->losses.size()), stop_at);
      fs::copy(backup, folder / "copy", fs::copy_options::recursive);
      const Outcome second = Train(1, 6, backup, -1, 1, by_steps);
      EXPECT_EQ(second.recorder->begun_at, stop_at);
      EXPECT_EQ(static_cast<int>(second.recorder->losses.size()),
                kEpochs * kStepsPerEpoch - stop_at);
      EXPECT_FALSE(fs::exists(backup));  // training is over
      // Interrupted again, on two replicas: the same numbers up to the order of
      // additions, about 10 roundings of 6e-8.
      const std::string copy = folder / "copy";
      const Outcome third = Train(2, 7, copy, -1, 1, by_steps);
      ExpectNear(third.recorder->losses, second.recorder->losses, 1e-5);
      ExpectNear(third.recorder->epochs, second.recorder->epochs, 1e-5);
    }
  }
}

// With a seed, the whole run is the same as without an interruption.
TEST(BackupAndRestoreTest, SameRunAsUninterrupted) {
  const TestFolder folder;
  const Outcome whole = Train(1, 5, folder / "whole", -1, 1, false);
  for (int stop_at = 1; stop_at < kEpochs * kStepsPerEpoch; ++stop_at) {
    const std::string backup = folder / ("stop" + std::to_string(stop_at));
    const Outcome first = Train(1, 5, backup, stop_at, 1, false);
    const Outcome second = Train(1, 6, backup, -1, 1, false);
    EXPECT_EQ(second.recorder->losses, Behind(whole.recorder->losses, stop_at));
    EXPECT_EQ(second.weights, whole.weights);
    // The end of an epoch is repeated if nothing was saved after it.
    const int epochs = (stop_at - 1) / kStepsPerEpoch;
    EXPECT_EQ(second.recorder->validated,
              Behind(whole.recorder->validated, epochs));
    EXPECT_EQ(second.recorder->epochs, Behind(whole.recorder->epochs, epochs));
  }
}

TEST(BackupAndRestoreTest, SaveFrequency) {
  const TestFolder folder;
  const std::string backup = folder / "backup";
  Train(1, 5, backup, 5, kEveryEpoch, false);
  EXPECT_EQ(Train(1, 6, backup, 5, kEveryEpoch, false).recorder->begun_at, 3);
  const std::string fours = folder / "fours";
  Train(1, 5, fours, 7, 4, false);
  EXPECT_EQ(Train(1, 6, fours, 7, 4, false).recorder->begun_at, 4);
  ExpectError([] { BackupAndRestore(""); }, Code::kInvalidArgument, "folder");
  ExpectError([] { BackupAndRestore("a", {.save_freq = -1}); },
              Code::kInvalidArgument, "got -1");
}

Sequential SmallModel() {
  const Sequential model({Input({1}), Dense(1)});
  model.Compile({.optimizer = "sgd", .loss = losses::MeanSquaredError()});
  return model;
}

void FitWith(const Sequential& model, CallbackPtr callback, int epochs) {
  const Tensor x = Tensor::Full(Shape{6, 1}, 1.0f);
  model.Fit({x, Tensor::Zeros({6, 1})}, {.batch_size = 2,
                                         .epochs = epochs,
                                         .callbacks = {std::move(callback)},
                                         .verbose = Verbose::kSilent});
}

TEST(ModelCheckpointTest, WritesTheDocumentedFiles) {
  const TestFolder folder;
  const Sequential model = SmallModel();
  const ModelCheckpointOptions weights{.save_weights_only = true};
  FitWith(model,
          MakeCallback<ModelCheckpoint>(folder / "ckpt_{epoch}", weights), 2);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{
                "checkpoint", "ckpt_1.data-00000-of-00001", "ckpt_1.index",
                "ckpt_2.data-00000-of-00001", "ckpt_2.index"}));
  const auto latest = LatestCheckpoint(folder.path());
  ASSERT_TRUE(latest);
  EXPECT_TRUE(latest->ends_with("ckpt_2"));
  const Sequential other = SmallModel();
  other.LoadWeights(*latest);
  EXPECT_EQ(other.variables()[0]->Read().item<float>(),
            model.variables()[0]->Read().item<float>());
}

TEST(ModelCheckpointTest, NamesHaveLogs) {
  const auto files = [&](const std::string& name,
                         ModelCheckpointOptions options) {
    options.save_weights_only = true;
    const TestFolder into;
    FitWith(SmallModel(), MakeCallback<ModelCheckpoint>(into / name, options),
            2);
    std::vector<std::string> names = into.names();
    std::erase_if(names,
                  [](const std::string& n) { return !n.ends_with(".index"); });
    return names;
  };
  EXPECT_EQ(files("e{epoch:02d}b{batch}", {.save_freq = 4}),
            std::vector<std::string>{"e02b1.index"});
  EXPECT_EQ(files("e{epoch}b{batch}", {.save_freq = 3}),
            (std::vector<std::string>{"e1b3.index", "e2b3.index"}));
  ExpectError([&] { files("{val_loss:.2f}", {}); }, Code::kInvalidArgument,
              "there are: epoch, batch, loss");
}

TEST(ModelCheckpointTest, SavesOnlyTheBest) {
  const auto saves = [&](const ModelCheckpointOptions& options) {
    ModelCheckpointOptions best = options;
    best.save_weights_only = best.save_best_only = true;
    best.monitor = "loss";
    const TestFolder into;
    FitWith(SmallModel(), MakeCallback<ModelCheckpoint>(into / "{epoch}", best),
            3);
    return into.names().size();
  };
  // The loss falls: two files each epoch and the state file, or one alone.
  EXPECT_EQ(saves({.mode = WatchMode::kMin}), 7u);
  EXPECT_EQ(saves({.mode = WatchMode::kMax}), 3u);
  EXPECT_EQ(saves({.mode = WatchMode::kAuto, .initial_value_threshold = -1}),
            0u);
  ExpectError([] { ModelCheckpoint(""); }, Code::kInvalidArgument, "empty");
  ExpectError([] { ModelCheckpoint("a.weights.h5"); }, Code::kInvalidArgument,
              "a whole model's file must be named '....keras'");
}

TEST(ModelWeightsTest, FailedLoadChangesNothing) {
  const TestFolder folder;
  const Sequential model = SmallModel();
  const std::string path = folder / "weights";
  model.SaveWeights(path);
  const Sequential more({Input({1}), Dense(1), Dense(1)});
  const float before = more.variables()[0]->Read().item<float>();
  ExpectError([&] { more.LoadWeights(path); }, Code::kFailedPrecondition,
              "has no value for");
  EXPECT_EQ(more.variables()[0]->Read().item<float>(), before);
  const Sequential wider({Input({1}), Dense(2)});
  ExpectError([&] { wider.LoadWeights(path); }, Code::kInvalidArgument,
              "but variable");
  ExpectError([&] { model.LoadWeights(folder / "nothing"); }, Code::kNotFound,
              "nothing");
  ExpectError([&] { Sequential({Dense(1)}).SaveWeights(path); },
              Code::kFailedPrecondition, "has no weights yet");
  const Sequential later({Dense(1)});
  later.LoadWeights(path);
  later.Build(Shape{1, 1});
  EXPECT_EQ(later.variables()[0]->Read().item<float>(),
            model.variables()[0]->Read().item<float>());
}

}  // namespace
}  // namespace lockstep
