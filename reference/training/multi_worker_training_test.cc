// Training on the replicas of several workers does what training on one replica
// does: losses, optimizers, metrics and checkpoints together.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/file_testing.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/write_directory.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/model.h"
#include "reference/losses/loss.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

constexpr int64_t kBatch = 4;

// n examples of y = 2 a - b, batches of 4.
Dataset Examples(int64_t n) {
  Floats x, y;
  for (int64_t i = 0; i < n; ++i) {
    const float a = i % 3, b = i % 2 + 1;
    x.insert(x.end(), {a, b});
    y.push_back(2 * a - b);
  }
  return Dataset::FromTensorSlices(
             Structure::Tuple({Tensor::FromVector(x, Shape{n, 2}),
                               Tensor::FromVector(y, Shape{n, 1})}))
      .Batch(kBatch);
}

// What a run ends with. Small integers, a batch size and a rate that are powers
// of two: weights are exact, whoever adds in which order.
struct Outcome {
  Floats losses;  // by step, summed over the replicas
  Floats weights;
  double mean = 0;  // of the examples' losses
};

class LinearTraining {
 public:
  explicit LinearTraining(Strategy& strategy) : strategy_(strategy) {
    const auto scope = strategy_.Scope();
    model_ =
        Sequential({Dense(1, {.use_bias = false,
                              .kernel_initializer = initializers::Constant(1),
                              .name = "linear"})});
    optimizer_ = std::make_unique<Sgd>(SgdConfig{.learning_rate = 0.0625});
    mean_ = std::make_unique<Mean>("loss");
  }

  Outcome Train(int64_t n) {
    Outcome outcome;
    for (const auto& batch : strategy_.DistributeDataset(Examples(n))) {
      const auto losses = strategy_.Run(
          [&](const Structure& part) {
            return Step(part[0].leaf(), part[1].leaf());
          },
          batch);
      outcome.losses.push_back(
          strategy_.Reduce(ReduceOp::kSum, losses).item<float>());
    }
    outcome.weights = model_.variables()[0]->Read().ToVector<float>();
    outcome.mean = mean_->Result();
    return outcome;
  }

 private:
  Tensor Step(const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor losses = loss_(y, model_(x, /*training=*/true));
    const Tensor total =
        ComputeAverageLoss(losses, {.global_batch_size = kBatch});
    const auto variables = model_.trainable_variables();
    optimizer_->ApplyGradients(Zip(tape.Gradient(total, variables), variables));
    mean_->UpdateState(losses);
    return total;
  }

  Strategy& strategy_;
  Sequential model_;
  std::unique_ptr<Sgd> optimizer_;
  std::unique_ptr<Mean> mean_;
  losses::MeanSquaredError loss_{{.reduction = losses::Reduction::kNone}};
};

// Last batches of every remainder, and of fewer examples than replicas.
TEST(MultiWorkerTrainingTest, AnyWorkersTrainAsOneReplicaDoes) {
  for (const int64_t n : {1, 2, 4, 5, 6, 7, 9}) {
    const auto one = MakeStrategy(1);
    const Outcome expected = LinearTraining(*one).Train(n);
    for (const std::vector<int>& replicas :
         std::vector<std::vector<int>>{{2, 2}, {1, 1, 1, 1}, {4}, {1, 1}}) {
      std::vector<Outcome> outcomes(replicas.size());
      RunWorkers(replicas, [&](Strategy& strategy) {
        outcomes[WorkerOf(strategy)] = LinearTraining(strategy).Train(n);
      });
      for (const Outcome& outcome : outcomes) {
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
TEST(MultiWorkerTrainingTest, AStepThatIsNotFiniteSomewhereIsTakenNowhere) {
  RunWorkers({2, 1}, [](Strategy& strategy) {
    const auto scope = strategy.Scope();
    const VariablePtr v = MakeVariable(
        {.initial_value = [] { return Tensor::Scalar(3.0f); }, .name = "v"});
    LossScaleOptimizer optimizer(
        std::make_shared<Sgd>(SgdConfig{.learning_rate = 1.0}),
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

// MW-80, and what is left of the other workers' copies.
TEST(MultiWorkerCheckpointTest, TheChiefsIsRestoredOnAnyWorkers) {
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

// MW-81, where TensorFlow's chief waits until the other worker has ended.
TEST(MultiWorkerCheckpointTest, SavingOnTheChiefAloneIsADisagreement) {
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
