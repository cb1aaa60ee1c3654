// Checkpoints of distributed variables, metrics, layers and optimizers: saved
// under some replicas, restored under others or without a strategy. Numbers:
// runs of TensorFlow 2.21 under MirroredStrategy, and arithmetic by hand.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/layers/dense.h"
#include "reference/layers/sequential.h"
#include "reference/metrics/mean.h"
#include "reference/optimizers/adam.h"
#include "reference/tensor_bundle/tensor_bundle_reader.h"

namespace lockstep {
namespace {

constexpr char kKey[] = "v/.ATTRIBUTES/VARIABLE_VALUE";
constexpr auto kOnRead = VariableSynchronization::kOnRead;

std::vector<float> Copies(Strategy& strategy, const VariablePtr& variable) {
  std::vector<float> copies;
  const auto read = strategy.Run([&] { return variable->Read(); });
  for (const Tensor& copy : read) copies.push_back(copy.item<float>());
  return copies;
}

// An on-read variable whose copies hold `values`, one a replica.
VariablePtr MakeOnRead(Strategy& strategy, const std::vector<float>& values,
                       VariableAggregation aggregation) {
  const VariablePtr v = MakeIn(strategy, 0, aggregation, kOnRead);
  strategy.Run([&] {
    const int replica = GetReplicaContext().replica_id_in_sync_group();
    v->Assign(Tensor::Scalar(values[replica]));
  });
  return v;
}

float StoredValue(const std::string& path) {
  return TensorBundleReader(path).Read(kKey).item<float>();
}

TEST(ReplicaCheckpointTest,
     AMirroredVariableIsStoredOnceAndRestoredEverywhere) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const VariablePtr v = MakeIn(*two, 3);
  const std::string path =
      Checkpoint({{"v", v.get()}}).Write(folder / "mirrored");
  EXPECT_EQ(TensorBundleReader(path).keys().size(), 2u);  // and the graph
  EXPECT_EQ(StoredValue(path), 3);
  for (const int replicas : {1, 2, 3}) {
    const auto strategy = MakeStrategy(replicas);
    const VariablePtr w = MakeIn(*strategy, 0);
    Checkpoint({{"v", w.get()}}).Read(path).AssertConsumed();
    EXPECT_EQ(Copies(*strategy, w), std::vector<float>(replicas, 3));
  }
}

TEST(ReplicaCheckpointTest, ASumIsStoredWholeAndDividedOnRestoring) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const VariablePtr v = MakeOnRead(*two, {2, 4}, VariableAggregation::kSum);
  const std::string path = Checkpoint({{"v", v.get()}}).Write(folder / "sum");
  EXPECT_EQ(StoredValue(path), 6);

  const auto three = MakeStrategy(3);
  const VariablePtr w =
      MakeOnRead(*three, {9, 9, 9}, VariableAggregation::kSum);
  Checkpoint({{"v", w.get()}}).Read(path).AssertConsumed();
  EXPECT_EQ(Copies(*three, w), (std::vector<float>{2, 2, 2}));

  const VariablePtr plain =
      checkpoint_internal::MakeTestVariable(Tensor::Scalar(0.0f));
  Checkpoint({{"v", plain.get()}}).Read(path).AssertConsumed();
  EXPECT_EQ(plain->Read().item<float>(), 6);
}

TEST(ReplicaCheckpointTest, AMeanAndAFirstCopyAreStoredAndRestoredToEach) {
  const TestFolder folder;
  const auto three = MakeStrategy(3);
  const VariablePtr mean =
      MakeOnRead(*three, {2, 4, 6}, VariableAggregation::kMean);
  const VariablePtr first =
      MakeOnRead(*three, {2, 4, 6}, VariableAggregation::kOnlyFirstReplica);
  const std::string mean_path =
      Checkpoint({{"v", mean.get()}}).Write(folder / "mean");
  const std::string first_path =
      Checkpoint({{"v", first.get()}}).Write(folder / "first");
  EXPECT_EQ(StoredValue(mean_path), 4);
  EXPECT_EQ(StoredValue(first_path), 2);

  const auto two = MakeStrategy(2);
  const VariablePtr w = MakeOnRead(*two, {0, 0}, VariableAggregation::kMean);
  Checkpoint checkpoint({{"v", w.get()}});
  checkpoint.Read(mean_path).AssertConsumed();
  EXPECT_EQ(Copies(*two, w), (std::vector<float>{4, 4}));
  checkpoint.Read(first_path).AssertConsumed();
  EXPECT_EQ(Copies(*two, w), (std::vector<float>{2, 2}));
}

TEST(ReplicaCheckpointTest, WithoutAggregationThereIsNoValueToSave) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const VariablePtr v = MakeIn(*two, 0, VariableAggregation::kNone, kOnRead);
  ExpectError(
      [&] {
        Checkpoint({{"v", v.get()}}).Save(folder / "ckpt");
      },
      Code::kInvalidArgument, "NONE");
  EXPECT_TRUE(folder.names().empty());
}

TEST(ReplicaCheckpointTest, AMetricKeepsItsResult) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const auto make = [&] {
    StrategyScope scope = two->Scope();
    return std::make_unique<Mean>("loss");
  };
  const auto saved = make();
  two->Run([&] {  // 5 + 6, 1 value more on replica 1: total 15, count 3
    const bool second = GetReplicaContext().replica_id_in_sync_group() == 1;
    saved->UpdateState(second ? Row({6, 4}) : Row({5}));
  });
  const std::string path =
      Checkpoint({{"loss", saved.get()}}).Save(folder / "ckpt");
  const auto restored = make();
  Checkpoint({{"loss", restored.get()}}).Restore(path).AssertConsumed();
  EXPECT_EQ(restored->Result(), 5);
  EXPECT_EQ(Copies(*two, restored->variables()[0]),
            (std::vector<float>{7.5, 7.5}));
  EXPECT_EQ(Copies(*two, restored->variables()[1]),
            (std::vector<float>{1.5, 1.5}));
}

// A dense layer trained by Adam with gradients whose sum over any number of
// replicas is exactly 12.
class Training {
 public:
  explicit Training(Strategy& strategy, bool built = true)
      : strategy_(strategy) {
    StrategyScope scope = strategy_.Scope();
    model = std::make_unique<Sequential>(
        std::vector<LayerPtr>{std::make_shared<Dense>(2)});
    optimizer = std::make_unique<Adam>();
    if (!built) return;
    model->Build(Shape{kUnknownDim, 3});
    optimizer->Build(model->trainable_variables());
  }

  Checkpoint MakeCheckpoint() {
    return Checkpoint({{"model", model.get()}, {"optimizer", optimizer.get()}});
  }

  void Step() {
    const float share =
        12.0f / static_cast<float>(strategy_.num_replicas_in_sync());
    strategy_.Run([&] {
      (*model)(Tensor::Zeros(Shape{1, 3}));  // makes the weights
      std::vector<GradientAndVariable> pairs;
      for (const VariablePtr& v : model->trainable_variables()) {
        pairs.emplace_back(Tensor::Full(v->shape(), share), v);
      }
      optimizer->ApplyGradients(pairs);
    });
  }

  // Weights on the last replica, all in a row.
  std::vector<float> Weights() {
    std::vector<float> all;
    for (const VariablePtr& v : model->trainable_variables()) {
      const auto copies = strategy_.Run([&] { return v->Read(); });
      for (const Tensor& copy : copies) {
        EXPECT_TRUE(BitwiseEqual(copy, copies[0]));
      }
      const auto values = copies[copies.size() - 1].ToVector<float>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  std::unique_ptr<Sequential> model;
  std::unique_ptr<Adam> optimizer;

 private:
  Strategy& strategy_;
};

TEST(ReplicaCheckpointTest, TrainingGoesOnAlikeOnAnyNumberOfReplicas) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  Training first(*two);
  first.Step();
  first.Step();
  Checkpoint checkpoint = first.MakeCheckpoint();
  const std::string path = checkpoint.Save(folder / "ckpt");
  first.Step();
  const std::vector<float> expected = first.Weights();

  std::vector<std::unique_ptr<MirroredStrategy>> mirrored;
  std::vector<Strategy*> strategies = {&GetStrategy()};  // the default one
  for (const int replicas : {1, 2, 3, 4}) {
    mirrored.push_back(MakeStrategy(replicas));
    strategies.push_back(mirrored.back().get());
  }
  for (Strategy* strategy : strategies) {
    for (const bool built : {true, false}) {
      Training next(*strategy, built);
      Checkpoint restoring = next.MakeCheckpoint();
      const CheckpointLoadStatus status = restoring.Restore(path);
      if (built) status.AssertConsumed();
      next.Step();
      status.AssertConsumed();
      EXPECT_EQ(next.optimizer->iterations(), 3);
      EXPECT_EQ(next.Weights(), expected)
          << strategy->num_replicas_in_sync() << " replicas, "
          << (built ? "built before" : "built by the step");
    }
  }
}

TEST(ReplicaCheckpointTest, IsSavedAndRestoredOutsideRun) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const VariablePtr v = MakeIn(*two, 5);
  Checkpoint checkpoint({{"v", v.get()}});
  CheckpointManager manager(checkpoint, folder.path(), {});
  const std::string path = folder / "ckpt";
  const auto refused = [&](const std::function<void()>& action) {
    ExpectError([&] { two->Run([&] { action(); }); }, Code::kFailedPrecondition,
                "it requires being in cross-replica context; call it outside "
                "Run");
  };
  refused([&] { checkpoint.Save(path); });
  refused([&] { checkpoint.Write(path); });
  refused([&] { manager.Save(); });
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
  two->Run([&] {
    GetReplicaContext().MergeCall([&](Strategy&) { checkpoint.Save(path); });
  });
  refused([&] { checkpoint.Restore(path + "-1"); });
  refused([&] { checkpoint.Read(path + "-1"); });
  EXPECT_EQ(checkpoint.Save(path), path + "-2");
}

}  // namespace
}  // namespace lockstep
