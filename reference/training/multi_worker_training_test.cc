// Training on several workers has the same results as on one replica: losses,
// optimizers, metrics and checkpoints.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/write_directory.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/linear_training.h"

namespace lockstep {
namespace {

// Last batches of each size, also with fewer examples than replicas.
TEST(MultiWorkerTrainingTest, TrainAsOneReplica) {
  for (const int64_t n : {1, 2, 4, 5, 6, 7, 9}) {
    const auto one = MakeStrategy(1);
    const LinearOutcome expected = LinearTraining(*one).Train(n);
    for (const std::vector<int>& replicas :
         std::vector<std::vector<int>>{{2, 2}, {1, 1, 1, 1}, {4}, {1, 1}}) {
      std::vector<LinearOutcome> outcomes(replicas.size());
      RunWorkers(replicas, [&](Strategy& strategy) {
        outcomes[WorkerOf(strategy)] = LinearTraining(strategy).Train(n);
      });
      for (const LinearOutcome& outcome : outcomes) {
        EXPECT_EQ(outcome.weights, expected.weights) << n;
        ASSERT_EQ(outcome.losses.size(), expected.losses.size());
        for (size_t i = 0; i < expected.losses.size(); ++i) {
          EXPECT_FLOAT_EQ(outcome.losses[i], expected.losses[i]) << n;
        }
        EXPECT_FLOAT_EQ(outcome.mean, expected.mean) << n;
      }
    }
  }
}

// A gradient that is not finite, on the last replica of the last worker.
TEST(MultiWorkerTrainingTest, NonFiniteStepIsSkippedEverywhere) {
  RunWorkers({2, 1}, [](Strategy& strategy) {
    const auto scope = strategy.Scope();
    const VariablePtr v = MakeVariable(
        {.initial_value = [] { return Tensor::Scalar(3.0f); }, .name = "v"});
    LossScaleOptimizer optimizer(
        std::make_shared<Sgd>(SgdOptions{.learning_rate = 1.0}),
        {.initial_scale = 8});
    const auto step = [&](float gradient) {
      strategy.Run([&] {
        const float mine = ReplicaNumber() == 2 ? gradient : 8;
        optimizer.ApplyGradients({{Tensor::Scalar(mine), v}});
      });
    };
    step(std::numeric_limits<float>::infinity());
    EXPECT_EQ(v->Read().item<float>(), 3);
    EXPECT_EQ(optimizer.loss_scale(), 4);
    EXPECT_EQ(optimizer.iterations(), 0);
    step(8);  // 3 - 3 * 8 / 4
    EXPECT_EQ(v->Read().item<float>(), -3);
    EXPECT_EQ(optimizer.iterations(), 1);
  });
}

// A mirrored variable and a sum of the replicas' parts.
struct Saved {
  explicit Saved(Strategy& strategy)
      : weight(MakeIn(strategy, 0, VariableAggregation::kMean)),
        total(MakeIn(strategy, 0, VariableAggregation::kSum,
                     VariableSynchronization::kOnRead)) {}

  VariablePtr weight;
  VariablePtr total;
  Checkpoint checkpoint{{{"weight", weight.get()}, {"total", total.get()}}};
};

// The chief's checkpoint is kept, and the other workers' copies are removed.
TEST(MultiWorkerCheckpointTest, AllWorkersRestoreTheChiefs) {
  const TestFolder folder;
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    Saved saved(strategy);
    strategy.Run([&] {
      saved.weight->Assign(Tensor::Scalar(ReplicaNumber() + 1.0f));
      saved.total->Assign(Tensor::Scalar(ReplicaNumber() + 1.0f));
    });
    const WriteDirectory directory(strategy.topology(), folder.path());
    const std::string path = saved.checkpoint.Save(directory.path() + "/ckpt");
    EXPECT_EQ(path, WorkerOf(strategy) == 0 ? folder / "ckpt-1"
                                            : folder / "workertemp_1/ckpt-1");
    EXPECT_TRUE(LatestCheckpoint(directory.path()).has_value());
  });
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{
                "checkpoint", "ckpt-1.data-00000-of-00001", "ckpt-1.index"}));
  for (const std::vector<int>& replicas :
       std::vector<std::vector<int>>{{1, 1}, {2, 2}, {3}}) {
    RunWorkers(replicas, [&](Strategy& strategy) {
      Saved saved(strategy);
      saved.checkpoint.Restore(LatestCheckpoint(folder.path()))
          .AssertConsumed();
      EXPECT_EQ(saved.weight->Read().item<float>(), 1.5);
      EXPECT_EQ(saved.total->Read().item<float>(), 3);
      strategy.Run([&] {
        EXPECT_FLOAT_EQ(saved.total->Read().item<float>(),
                        3.0f / strategy.num_replicas_in_sync());
      });
    });
  }
}

// A job was killed and resumes with fewer workers, or with one.
TEST(MultiWorkerCheckpointTest, RemovesFilesOfFormerWorkers) {
  const TestFolder folder;
  for (const char* left : {"workertemp_1", "workertemp_2", "workertemp_10",
                           "workertemp_x", "workertemp_3a"}) {
    std::filesystem::create_directory(folder / left);
    WriteWholeFile(folder / left + "/ckpt-1.index", "old");
  }
  const Topology chief({1, 1}, WorkerId(0));
  EXPECT_EQ(WriteDirectory(chief, folder.path()).path(), folder.path());
  // Worker 1 still exists, and removes its files.
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"workertemp_1", "workertemp_3a",
                                      "workertemp_x"}));
  const WriteDirectory alone(Topology::OneWorker(1), folder.path());
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"workertemp_3a", "workertemp_x"}));
}

// TensorFlow's chief waits in this case until the other worker ends.
TEST(MultiWorkerCheckpointTest, SavingOnlyOnTheChiefIsAnError) {
  const TestFolder folder;
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    Saved saved(strategy);
    EXPECT_EQ(
        CodeOf([&] {
          if (WorkerOf(strategy) == 0) {
            saved.checkpoint.Save(folder / "ckpt");
          } else {
            strategy.Run([&] { saved.weight->Assign(Tensor::Scalar(1.0f)); });
          }
        }),
        Code::kFailedPrecondition);
  });
  EXPECT_FALSE(LatestCheckpoint(folder.path()).has_value());
}

}  // namespace
}  // namespace lockstep
