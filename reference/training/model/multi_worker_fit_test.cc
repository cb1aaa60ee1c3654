// Fit on several workers has the same results as on one replica.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/model/model_file.h"

namespace lockstep {
namespace {

struct FitOutcome {
  std::vector<double> losses, validated;
  std::vector<float> predicted, weights;
};

struct FitRun {
  int64_t examples = 7;
  bool shuffle = false;
  double rate = 0.0009765625;
  int epochs = 2;
  std::vector<CallbackPtr> callbacks = {};
};

FitOutcome FitIn(Strategy& strategy, const FitRun& run) {
  const auto scope = strategy.Scope();
  // Workers here are threads of one process, where names without a number are
  // taken once.
  DenseOptions first = Slope(1), second = Slope(0.5);
  first.name = "first";
  second.name = "second";
  const Sequential model({Dense(1, first), Dense(1, second)});
  model.Compile({.optimizer = SgdOf(run.rate),
                 .loss = losses::MeanSquaredError(),
                 .metrics = {"mae"}});
  const Tensor x = OneTo(run.examples), y = Tensor::Zeros({run.examples, 1});
  const History history =
      model.Fit({x, y}, {.batch_size = 4,
                         .epochs = run.epochs,
                         .shuffle = run.shuffle,
                         .validation_data = TrainingData(x, y),
                         .callbacks = run.callbacks,
                         .verbose = Verbose::kSilent});
  FitOutcome outcome{.losses = history["loss"],
                     .validated = history["val_mae"],
                     .predicted = {},
                     .weights = {}};
  const Tensor predicted = model.Predict(x, {.batch_size = 3});
  outcome.predicted = predicted.ToVector<float>();
  for (const VariablePtr& variable : model.variables()) {
    outcome.weights.push_back(variable->Read().item<float>());
  }
  return outcome;
}

// What all of them have.
FitOutcome FitOnWorkers(const std::vector<int>& replicas, const FitRun& run) {
  std::vector<FitOutcome> outcomes(replicas.size());
  RunWorkers(replicas, [&](Strategy& strategy) {
    outcomes[WorkerOf(strategy)] = FitIn(strategy, run);
  });
  for (const FitOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.losses, outcomes[0].losses);
    EXPECT_EQ(outcome.validated, outcomes[0].validated);
    EXPECT_EQ(outcome.predicted, outcomes[0].predicted);
    EXPECT_EQ(outcome.weights, outcomes[0].weights);
  }
  return outcomes[0];
}

// Last batches of each size, also with fewer examples than replicas.
TEST(MultiWorkerFitTest, FitAsOnOneReplica) {
  for (const int64_t examples : {1, 4, 5, 6, 7}) {
    const FitRun run{.examples = examples};
    const auto one = MakeStrategy(1);
    const FitOutcome expected = FitIn(*one, run);
    for (const std::vector<int>& replicas :
         std::vector<std::vector<int>>{{1, 1}, {2, 2}, {1, 1, 1}}) {
      const FitOutcome outcome = FitOnWorkers(replicas, run);
      ASSERT_EQ(outcome.predicted.size(), expected.predicted.size());
      for (size_t i = 0; i < expected.predicted.size(); ++i) {
        EXPECT_FLOAT_EQ(outcome.predicted[i], expected.predicted[i]);
      }
      for (int i = 0; i < 2; ++i) {
        EXPECT_FLOAT_EQ(outcome.losses[i], expected.losses[i]) << examples;
        EXPECT_FLOAT_EQ(outcome.validated[i], expected.validated[i]);
        EXPECT_FLOAT_EQ(outcome.weights[i], expected.weights[i]);
      }
    }
  }
}

// The loss of all examples shows that each was read once, in any order. The workers
// draw different seeds, and must agree on one.
TEST(MultiWorkerFitTest, ShuffledArraysAreReadOnce) {
  const FitOutcome outcome = FitOnWorkers(
      {1, 1}, {.examples = 13, .shuffle = true, .rate = 0, .epochs = 5});
  for (const double loss : outcome.losses) {
    EXPECT_FLOAT_EQ(loss, 0.25 * (13 * 14 * 27 / 6) / 13);  // (x / 2)^2
  }
}

// A worker of two would read one of them by itself.
TEST(MultiWorkerFitTest, PredictsFilesInOrder) {
  const TestFolder folder;
  WriteWholeFile(folder / "a", "1\n2\n3\n");
  WriteWholeFile(folder / "b", "4\n5\n");
  const auto numbers = [](const Structure& lines) {
    std::vector<float> x;
    for (const auto& line : lines.leaf().span<std::string>()) {
      x.push_back(std::stof(line));
    }
    return Structure(Column(x));
  };
  const Dataset files = Dataset::FromTextLines({folder / "a", folder / "b"})
                            .Batch(2)
                            .Map(numbers);
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    const auto scope = strategy.Scope();
    DenseOptions named = Slope(2);
    named.name = "named";
    const Tensor y = Sequential({Dense(1, named)}).Predict(files);
    EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{2, 4, 6, 8, 10}));
  });
}

TEST(MultiWorkerFitTest, OnlyTheChiefsFilesStay) {
  const TestFolder folder;
  const auto run = [&](int epochs) {
    std::vector<FitOutcome> outcomes(2);
    RunWorkers({1, 1}, [&](Strategy& strategy) {
      const FitRun fit{
          .epochs = epochs,
          .callbacks = {
              MakeCallback<ModelCheckpoint>(
                  folder / "files/ckpt_{epoch}",
                  ModelCheckpointOptions{.save_weights_only = true}),
              MakeCallback<ModelCheckpoint>(folder / "files/model.keras"),
              MakeCallback<BackupAndRestore>(
                  folder / "backup",
                  BackupAndRestoreOptions{.delete_checkpoint = false})}};
      outcomes[WorkerOf(strategy)] = FitIn(strategy, fit);
    });
    return outcomes[0];
  };
  run(1);
  EXPECT_EQ(run(2).losses.size(),
            1u);  // both workers resumed with the second epoch
  std::vector<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(folder / "files")) {
    names.push_back(file.path().filename());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "checkpoint", "ckpt_1.data-00000-of-00001", "ckpt_1.index",
                "ckpt_2.data-00000-of-00001", "ckpt_2.index", "model.keras"}));
  const Model alone = LoadModel(folder / "files/model.keras");
  EXPECT_EQ(alone.optimizer().iterations(), 4);
}

// A table of 5 rows after a fit of 5 examples of two words each, in batches of 4.
std::vector<float> LearntTable(Strategy& strategy) {
  const auto scope = strategy.Scope();
  const Sequential model({Embedding(
      5, 1,
      {.embeddings_initializer = initializers::Constant(1), .name = "words"})});
  model.Compile({.optimizer = std::make_shared<Adam>(),
                 .loss = losses::MeanSquaredError()});
  const Tensor words =
      Tensor::FromVector<int64_t>({0, 1, 1, 3, 3, 3, 0, 1, 3, 0}, Shape{5, 2});
  model.Fit({words, Tensor::Zeros({5, 2, 1})}, {.batch_size = 4,
                                                .epochs = 2,
                                                .shuffle = false,
                                                .verbose = Verbose::kSilent});
  return model.variables()[0]->Read().ToVector<float>();
}

// Each replica looks up other rows; in the last batch of one example, most look up
// none. No replica looks up rows 2 and 4.
TEST(MultiWorkerFitTest, EmbeddingTrainsFromAllWorkers) {
  const auto one = MakeStrategy(1);
  const std::vector<float> expected = LearntTable(*one);
  EXPECT_LT(expected[0], 1);
  EXPECT_EQ(expected[2], 1);
  EXPECT_EQ(expected[4], 1);
  for (const std::vector<int>& replicas :
       std::vector<std::vector<int>>{{1, 1}, {2, 2}, {1, 1, 1}}) {
    std::vector<std::vector<float>> tables(replicas.size());
    RunWorkers(replicas, [&](Strategy& strategy) {
      tables[WorkerOf(strategy)] = LearntTable(strategy);
    });
    for (const std::vector<float>& table : tables) {
      EXPECT_EQ(table, tables[0]);
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_FLOAT_EQ(table[i], expected[i]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
