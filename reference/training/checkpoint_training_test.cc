// Checkpoints of models and optimizers have the nodes and keys of Keras 3.15, and
// training resumes exactly after a restore.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/tensor_bundle/tensor_bundle.h"
#include "reference/training/model/model.h"
#include "reference/training/small_training.h"

namespace lockstep {
namespace {

// Sequential([Input((2,)), Dense(1)]) with SGD(0.1, momentum=0.9).
struct DenseProgram {
  DenseProgram(const std::vector<Layer>& layers) : model(layers) {}

  Sequential model;
  Sgd optimizer{{.learning_rate = 0.5,
                 .momentum = 0.9,
                 .nesterov = true,
                 .options = {.name = "sgd"}}};
  Checkpoint checkpoint{
      {{"optimizer", &optimizer}, {"model", model.trackable()}}};
};

Layer MakeDense() { return Dense(1, {.name = "sequential_4/dense_6"}); }

TEST(KerasCheckpointTest, BuiltProgramHasTheBytesOfKeras) {
  const std::string theirs = TensorFlowFile("dense_sgd_momentum/ckpt-1");
  DenseProgram program({Input({2}), MakeDense()});
  program.optimizer.Build(program.model.trainable_variables());
  program.checkpoint.Restore(theirs).AssertConsumed();
  EXPECT_EQ(program.model.variables()[0]->Read().ToVector<float>(),
            (std::vector<float>{-0.6374438f, -0.4983052f}));
  EXPECT_EQ(program.optimizer.learning_rate(), 0.1f);

  const TestFolder folder;
  program.checkpoint.save_counter().Assign(Tensor::Scalar<int64_t>(0));
  const std::string ours = program.checkpoint.Save(folder / "ckpt");
  for (const char* end : {".index", ".data-00000-of-00001"}) {
    EXPECT_TRUE(ReadWholeFile(ours + end) == ReadWholeFile(theirs + end))
        << end;
  }
}

// A functional model with two inputs, two outputs and a shared layer.
Model MakeFunctionalModel() {
  const SymbolicTensor a = Input({2}, "a"), b = Input({1}, "b");
  const Dense shared(2, {.use_bias = false, .name = "shared"});
  const SymbolicTensor from_b = Dense(2, {.name = "from_b"})(b);
  const SymbolicTensor sum = Add("sum")({shared(a), shared(from_b)});
  const SymbolicTensor cut = ReLU("cut")(sum);
  const SymbolicTensor both = Concatenate(-1, "both")({cut, b});
  return Model({a, b}, {Dense(1, {.name = "o1"})(both),
                        Dense(1, {.use_bias = false, .name = "o2"})(cut)});
}

TEST(KerasCheckpointTest, FunctionalModelHasTheBytesOfKeras) {
  const std::string theirs = TensorFlowFile("functional_shared/ckpt-1");
  const Model model = MakeFunctionalModel();
  Checkpoint checkpoint({{"model", model.trackable()}});
  checkpoint.Restore(theirs).AssertConsumed();
  const Structure results =
      model({Tensor::FromVector<float>({1, 2}, Shape{1, 2}),
             Tensor::FromVector<float>({3}, Shape{1, 1})});
  EXPECT_EQ(results[0].leaf().item<float>(), -175);
  EXPECT_EQ(results[1].leaf().item<float>(), -308);

  const TestFolder folder;
  checkpoint.save_counter().Assign(Tensor::Scalar<int64_t>(0));
  const std::string ours = checkpoint.Save(folder / "ckpt");
  for (const char* end : {".index", ".data-00000-of-00001"}) {
    EXPECT_TRUE(ReadWholeFile(ours + end) == ReadWholeFile(theirs + end))
        << end;
  }
}

// Sequential([Input((2,)), Dense(1, use_bias=False)]) with a loss scale around
// SGD(0.25, momentum=0.5), after two steps and one that was skipped.
struct LossScaleProgram {
  LossScaleProgram() {
    model.Add(Dense(1, {.use_bias = false, .name = "sequential/dense"}));
  }

  // By hand: the momentum of the first row becomes -0.75 * 0.5 - 0.5 * 1.
  void ExpectTheNextStepOfKeras() {
    const VariablePtr kernel = model.variables()[0];
    optimizer.ApplyGradients(
        {{Tensor::FromVector<float>({4, 8}, Shape{2, 1}), kernel}});
    EXPECT_EQ(kernel->Read().ToVector<float>(),
              (std::vector<float>{-1.125f, -2.25f}));
    EXPECT_EQ(optimizer.loss_scale(), 8);
  }

  Sequential model;
  LossScaleOptimizer optimizer{
      std::make_shared<Sgd>(SgdOptions{
          .learning_rate = 0.25, .momentum = 0.5, .options = {.name = "sgd"}}),
      {.dynamic_growth_steps = 3}};
  Checkpoint checkpoint{
      {{"optimizer", &optimizer}, {"model", model.trackable()}}};
};

TEST(KerasCheckpointTest, LossScaleHasTheBytesOfKeras) {
  const std::string theirs = TensorFlowFile("loss_scale_sgd/ckpt-1");
  LossScaleProgram program;
  program.model.Build(Shape{kUnknownDim, 2});
  program.optimizer.Build(program.model.trainable_variables());
  program.checkpoint.Restore(theirs).AssertConsumed();
  EXPECT_EQ(program.optimizer.loss_scale(), 4);
  EXPECT_EQ(program.optimizer.iterations(), 2);

  const TestFolder folder;
  program.checkpoint.save_counter().Assign(Tensor::Scalar<int64_t>(0));
  const std::string ours = program.checkpoint.Save(folder / "ckpt");
  EXPECT_EQ(TensorBundleReader(ours).keys(), TensorBundleReader(theirs).keys());
  program.ExpectTheNextStepOfKeras();
}

TEST(KerasCheckpointTest, RestoredLossScaleIsUsedAtOnce) {
  LossScaleProgram program;
  const auto status =
      program.checkpoint.Restore(TensorFlowFile("loss_scale_sgd/ckpt-1"));
  EXPECT_EQ(program.optimizer.ScaleLoss(Tensor::Scalar(1.5f)).item<float>(), 6);
  program.model(Tensor::Zeros(Shape{1, 2}));
  program.ExpectTheNextStepOfKeras();
  status.AssertConsumed();
}

TEST(KerasCheckpointTest, LayersBuiltLaterAreRestored) {
  DenseProgram program({MakeDense()});
  const auto status =
      program.checkpoint.Restore(TensorFlowFile("dense_sgd_momentum/ckpt-1"));
  program.model(Tensor::Zeros(Shape{1, 2}));
  EXPECT_EQ(program.model.variables()[0]->Read().ToVector<float>(),
            (std::vector<float>{-0.6374438f, -0.4983052f}));
  program.optimizer.Build(program.model.trainable_variables());
  status.AssertConsumed();
}

TEST(KerasCheckpointTest, DocumentedProgramHasTheKeysOfKeras) {
  Conv2DOptions relu{.activation = Activation::kRelu};
  Sequential model({Conv2D(32, 3, relu), MaxPooling2D(), Conv2D(64, 3, relu),
                    MaxPooling2D(), Flatten(), Dense(64), Dense(10)});
  Adam optimizer;
  model.Build(Shape{kUnknownDim, 28, 28, 1});
  optimizer.Build(model.trainable_variables());
  Checkpoint checkpoint(
      {{"optimizer", &optimizer}, {"model", model.trackable()}});
  const TestFolder folder;
  const TensorBundleReader reader(checkpoint.Save(folder / "ckpt"));

  const std::string value = "/.ATTRIBUTES/VARIABLE_VALUE";
  const std::vector<Shape> shapes = {
      Shape{3, 3, 1, 32}, Shape{32}, Shape{3, 3, 32, 64}, Shape{64},
      Shape{1600, 64},    Shape{64}, Shape{64, 10},       Shape{10}};
  // Iterations, rate, 8 variables with 2 slots each, save_counter, the graph.
  EXPECT_EQ(reader.keys().size(), 2u + 8 * 3 + 2);
  EXPECT_EQ(reader.Spec("optimizer/_iterations" + value),
            (TensorSpec{Shape{}, DType::kInt64}));
  EXPECT_EQ(reader.Spec("optimizer/_learning_rate" + value),
            (TensorSpec{Shape{}, DType::kFloat32}));
  EXPECT_TRUE(reader.Contains("save_counter" + value));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const TensorSpec spec{shapes[i], DType::kFloat32};
    for (const std::string& key : {"_trainable_variables/" + std::to_string(i),
                                   "_variables/" + std::to_string(2 + 2 * i),
                                   "_variables/" + std::to_string(3 + 2 * i)}) {
      EXPECT_EQ(reader.Spec("optimizer/" + key + value), spec) << key;
    }
  }
}

TEST(KerasCheckpointTest, KeysWithoutAnOptimizer) {
  Sequential model({Input({28, 28, 1}), Conv2D(32, 3), Flatten(), Dense(10)});
  Checkpoint checkpoint({{"model", model.trackable()}});
  const TestFolder folder;
  const TensorBundleReader reader(checkpoint.Write(folder / "ckpt"));
  for (const char* key : {"1/_kernel", "1/bias", "3/_kernel", "3/bias"}) {
    EXPECT_TRUE(reader.Contains(std::string("model/_functional/_operations/") +
                                key + "/.ATTRIBUTES/VARIABLE_VALUE"))
        << key;
  }
}

// Three steps on 2 replicas, a checkpoint, two more steps.
class Interrupted {
 public:
  Interrupted() : first_(2) {
    for (int step = 0; step < 3; ++step) first_.Step();
    Checkpoint checkpoint = Of(first_);
    path_ = checkpoint.Save(folder_ / "ckpt");
    for (int step = 0; step < 2; ++step) losses_.push_back(first_.Step());
  }

  static Checkpoint Of(SmallTraining& training) {
    return Checkpoint({{"model", training.model().trackable()},
                       {"optimizer", &training.optimizer()}});
  }
  const std::string& path() const { return path_; }
  const std::vector<float>& losses_after() const { return losses_; }

 private:
  TestFolder folder_;
  SmallTraining first_;
  std::string path_;
  std::vector<float> losses_;
};

TEST(KerasCheckpointTest, TrainingResumesExactly) {
  const Interrupted interrupted;
  SmallTraining second(2, /*seed=*/99);
  Checkpoint checkpoint = Interrupted::Of(second);
  // Nothing is built yet; the first step creates weights and slots.
  const auto status = checkpoint.Restore(interrupted.path());
  for (const float loss : interrupted.losses_after()) {
    EXPECT_EQ(second.Step(), loss);
  }
  status.AssertConsumed();
  EXPECT_EQ(second.optimizer().iterations(), 5);
}

TEST(KerasCheckpointTest, TrainingResumesOnOtherReplicas) {
  const Interrupted interrupted;
  for (const int replicas : {1, 3}) {
    SmallTraining other(replicas, /*seed=*/99);
    Checkpoint checkpoint = Interrupted::Of(other);
    checkpoint.Restore(interrupted.path());
    // Sums of about 10^2 terms in another order.
    for (const float loss : interrupted.losses_after()) {
      EXPECT_NEAR(other.Step(), loss, 6e-6) << replicas;
    }
    EXPECT_EQ(other.optimizer().iterations(), 5);
  }
}

}  // namespace

// Checkpoints of distributed variables, metrics, layers and optimizers that are
// restored with another number of replicas, or without a strategy. Expected numbers
// are from runs of TensorFlow 2.21 under MirroredStrategy, or computed by hand.

namespace {

constexpr char kKey[] = "v/.ATTRIBUTES/VARIABLE_VALUE";
constexpr auto kOnRead = VariableSynchronization::kOnRead;

std::vector<float> Copies(Strategy& strategy, const VariablePtr& variable) {
  std::vector<float> copies;
  const auto read = strategy.Run([&] { return variable->Read(); });
  for (const Tensor& copy : read) copies.push_back(copy.item<float>());
  return copies;
}

// An on-read variable whose copies have `values`, one per replica.
VariablePtr MakeOnRead(Strategy& strategy, const std::vector<float>& values,
                       VariableAggregation aggregation) {
  const VariablePtr v = MakeIn(strategy, 0, aggregation, kOnRead);
  strategy.Run([&] {
    const int replica = GetReplicaContext().replica_id_in_sync_group().value();
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

TEST(ReplicaCheckpointTest, SumIsStoredOnceAndDivided) {
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

TEST(ReplicaCheckpointTest, MeanIsStoredOnceAndCopied) {
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

TEST(ReplicaCheckpointTest, NoAggregationCannotBeSaved) {
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

TEST(ReplicaCheckpointTest, MetricKeepsItsResult) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const auto make = [&] {
    StrategyScope scope = two->Scope();
    return std::make_unique<Mean>("loss");
  };
  const auto saved = make();
  two->Run([&] {  // 5 + 6, 1 value more on replica 1: total 15, count 3
    const bool second =
        GetReplicaContext().replica_id_in_sync_group().value() == 1;
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
    model = Sequential({Dense(2)});
    optimizer = std::make_unique<Adam>();
    if (!built) return;
    model.Build(Shape{kUnknownDim, 3});
    optimizer->Build(model.trainable_variables());
  }

  Checkpoint MakeCheckpoint() {
    return Checkpoint(
        {{"model", model.trackable()}, {"optimizer", optimizer.get()}});
  }

  void Step() {
    const float share =
        12.0f / static_cast<float>(strategy_.num_replicas_in_sync());
    strategy_.Run([&] {
      model(Tensor::Zeros(Shape{1, 3}));  // makes the weights
      std::vector<GradientAndVariable> pairs;
      for (const VariablePtr& v : model.trainable_variables()) {
        pairs.emplace_back(Tensor::Full(v->shape(), share), v);
      }
      optimizer->ApplyGradients(pairs);
    });
  }

  // The weights on the last replica, concatenated.
  std::vector<float> Weights() {
    std::vector<float> all;
    for (const VariablePtr& v : model.trainable_variables()) {
      const auto copies = strategy_.Run([&] { return v->Read(); });
      for (const Tensor& copy : copies) {
        EXPECT_TRUE(BitwiseEqual(copy, copies[0]));
      }
      const auto values = copies[copies.size() - 1].ToVector<float>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  Sequential model;
  std::unique_ptr<Adam> optimizer;

 private:
  Strategy& strategy_;
};

TEST(ReplicaCheckpointTest, ResumesTheSameOnAnyReplicas) {
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
