// Training on N replicas has the same results as on one: models, losses, optimizers
// and metrics.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/random.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/distribute/variables/distributed_variable_creation.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/tensor_bundle/tensor_bundle.h"
#include "reference/training/model/model.h"
#include "reference/training/small_training.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(MirroredTrainingTest, ScaledLossesSumToTheGlobalMean) {
  const auto strategy = MakeStrategy(2);
  const auto average = [&](const Floats& first, const Floats& second) {
    const PerReplica<Tensor> losses(
        {Tensor::FromVector(first), Tensor::FromVector(second)});
    const PerReplica<Tensor> scaled = strategy->Run(
        [](const Tensor& loss) {
          return ComputeAverageLoss(loss, {.global_batch_size = 4});
        },
        losses);
    return strategy->Reduce(ReduceOp::kSum, scaled).item<float>();
  };
  EXPECT_EQ(average({1, 2}, {3, 4}), 2.5);
  EXPECT_EQ(average({5}, {}), 1.25);
}

// One step of y = w x with mean squared error over a global batch of 2, from
// w = 2: the gradient is (2 * 2 * 1 * 1 + 2 * 4 * 2) / 2 = 10.
float LinearStep(int replicas) {
  const auto strategy = MakeStrategy(replicas);
  const auto scope = strategy->Scope();
  Sequential model(
      {Dense(1, {.use_bias = false,
                 .kernel_initializer = initializers::Constant(2)})});
  Sgd optimizer({.learning_rate = 0.125});
  const losses::MeanSquaredError loss({.reduction = losses::Reduction::kNone});
  std::vector<Tensor> inputs;
  for (int replica = 0; replica < replicas; ++replica) {
    inputs.push_back(replicas == 1 ? Tensor::FromVector<float>({1, 2}, {2, 1})
                                   : Tensor::Zeros({0, 1}));
  }
  if (replicas > 1) {  // with three, one replica has no data
    inputs[0] = Tensor::FromVector<float>({1}, {1, 1});
    inputs[1] = Tensor::FromVector<float>({2}, {1, 1});
  }
  strategy->Run(
      [&](const Tensor& x) {
        GradientTape tape;
        const Tensor losses = loss(Tensor::Zeros(x.shape()), model(x));
        const Tensor average =
            ComputeAverageLoss(losses, {.global_batch_size = 2});
        const auto variables = model.trainable_variables();
        const auto gradients = tape.Gradient(average, variables);
        optimizer.ApplyGradients({{gradients[0], variables[0]}});
      },
      PerReplica<Tensor>(inputs));
  return CommonValue(*strategy, model.variables()[0]).item<float>();
}

TEST(MirroredTrainingTest, OneStepOnAnyNumberOfReplicas) {
  for (const int replicas : {1, 2, 3}) {
    EXPECT_EQ(LinearStep(replicas), 2 - 0.125f * 10) << replicas;
  }
}

TEST(MirroredTrainingTest, NetworkTrainsAsOnOneReplica) {
  SmallTraining one(1);
  Floats expected;
  for (int step = 0; step < 10; ++step) expected.push_back(one.Step());
  EXPECT_LT(expected.back(), expected.front());
  for (const int replicas : {2, 3}) {
    SmallTraining many(replicas);
    // The same sums of about 10^2 terms in another order: 10^2 roundings of
    // 6e-8 each, which ten steps of Adam at rate 0.01 do not enlarge.
    for (const float loss : expected) EXPECT_NEAR(many.Step(), loss, 6e-6);
    EXPECT_EQ(many.optimizer().iterations(), 10);
    EXPECT_NEAR(many.mean().Result(), one.mean().Result(), 6e-6);
    EXPECT_EQ(many.accuracy().Result(), one.accuracy().Result());
    for (const VariablePtr& variable : many.model().variables()) {
      CommonValue(many.strategy(), variable);
    }
  }
}

TEST(MirroredTrainingTest, EqualRunsGiveEqualBits) {
  SmallTraining first(2);
  Floats losses;
  for (int step = 0; step < 3; ++step) losses.push_back(first.Step());
  SmallTraining second(2);
  for (const float loss : losses) EXPECT_EQ(second.Step(), loss);
  const auto a = first.model().variables(), b = second.model().variables();
  ASSERT_EQ(a.size(), 4u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(a[i]->Read(), b[i]->Read())) << i;
  }
}

std::vector<const void*> Memory(SmallTraining& training) {
  std::vector<VariablePtr> variables = training.model().variables();
  for (const VariablePtr& slot : training.optimizer().variables()) {
    variables.push_back(slot);
  }
  std::vector<const void*> memory;
  for (const VariablePtr& variable : variables) {
    for (const Tensor& copy :
         training.strategy().Run([&] { return variable->Read(); })) {
      memory.push_back(copy.raw_data());
    }
  }
  return memory;
}

int64_t SystemAllocations() {
  int64_t sum = 0;
  for (Device* device : ListLogicalDevices()) {
    sum += device->pool().statistics().system_allocations;
  }
  return sum;
}

TEST(MirroredTrainingTest, StepUpdatesInPlace) {
  SmallTraining training(2);
  for (int step = 0; step < 5; ++step) training.Step();
  const std::vector<const void*> memory = Memory(training);
  const int64_t allocations = SystemAllocations();
  for (int step = 0; step < 5; ++step) training.Step();
  EXPECT_EQ(Memory(training), memory);
  EXPECT_EQ(SystemAllocations(), allocations);
}

}  // namespace

// A custom loop over a distributed dataset, with any number of replicas, any
// all-reduce, short batches and replicas without data, has the same losses as one
// replica, and the replicas' copies stay bitwise equal.

namespace {

// 19 examples in batches of 8: two full batches and one of 3. Of each full batch, five
// replicas get 2, 2, 2, 2, 0. Eight replicas get one each, and of the last batch, five
// of them get none.
constexpr int64_t kExamples = 19;
constexpr int64_t kGlobalBatchSize = 8;
constexpr int kEpochs = 2;

Dataset MakeDataset() {
  Random random(11);
  Tensor images = Tensor::Empty({kExamples, 6, 6, 1});
  for (int64_t i = 0; i < images.num_elements(); ++i) {
    images.mutable_data<float>()[i] = random.UniformFloat();
  }
  Tensor labels = Tensor::Empty({kExamples}, DType::kInt64);
  for (int64_t i = 0; i < kExamples; ++i) {
    labels.mutable_data<int64_t>()[i] = i % 3;
  }
  return Dataset::FromTensorSlices(Structure::Tuple({images, labels}))
      .Batch(kGlobalBatchSize);
}

// Returns the loss of each step. Expects equal copies after each.
std::vector<float> Train(MirroredStrategy& strategy) {
  const StrategyScope scope = strategy.Scope();
  SetRandomSeed(3);
  Sequential model({Conv2D(4, 3, {.activation = Activation::kRelu}),
                    MaxPooling2D(), Flatten(), Dense(3)});
  Sgd optimizer({.learning_rate = 0.1});
  const losses::SparseCategoricalCrossentropy loss_object(
      {.from_logits = true, .reduction = losses::Reduction::kNone});
  const auto train_step = [&](const Structure& batch) {
    GradientTape tape;
    const Tensor logits = model(batch[0], /*training=*/true);
    const Tensor loss = ComputeAverageLoss(
        loss_object(batch[1], logits), {.global_batch_size = kGlobalBatchSize});
    const auto variables = model.trainable_variables();
    optimizer.ApplyGradients(Zip(tape.Gradient(loss, variables), variables));
    return loss;
  };
  std::vector<float> losses;
  const DistributedDataset inputs = strategy.DistributeDataset(MakeDataset());
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (const PerReplica<Structure>& batch : inputs) {
      const PerReplica<Tensor> replicas = strategy.Run(train_step, batch);
      losses.push_back(strategy.Reduce(ReduceOp::kSum, replicas).item<float>());
      CheckReplicasEqual(model.variables());
      CheckReplicasEqual(optimizer.variables());
    }
  }
  return losses;
}

struct Setting {
  int replicas;
  std::shared_ptr<const CrossDeviceOps> ops;
  int threads = 1;
};

std::vector<float> Train(const Setting& setting) {
  SetLogicalCpuDevices(setting.replicas);
  MirroredStrategy strategy({.threads_per_replica = setting.threads,
                             .cross_device_ops = setting.ops});
  return Train(strategy);
}

std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << setting.replicas << " replicas, " << setting.ops->name();
}

class MirroredEquivalenceTest : public testing::TestWithParam<Setting> {};

TEST_P(MirroredEquivalenceTest, SameLossesAsOneReplica) {
  const std::vector<float> one =
      Train({.replicas = 1, .ops = std::make_shared<SharedMemoryAllReduce>()});
  ASSERT_EQ(one.size(), 3u * kEpochs);
  const std::vector<float> many = Train(GetParam());
  // A gradient sums at most 8 examples at 16 positions, so another order moves
  // it by 128 roundings of 6e-8; six steps at rate 0.1 along gradients of
  // length 1 at most move the loss by 6 * 0.1 * 128 * 6e-8 = 5e-6, its own sum
  // rounds by 1e-6.
  for (size_t step = 0; step < one.size(); ++step) {
    EXPECT_NEAR(many[step], one[step], 1e-5) << "step " << step;
  }
}

TEST_P(MirroredEquivalenceTest, SameBitsInASecondRun) {
  EXPECT_EQ(Train(GetParam()), Train(GetParam()));
}

std::vector<Setting> Settings() {
  std::vector<Setting> settings;
  for (int replicas : {1, 2, 3, 4, 5, 8}) {
    settings.push_back({replicas, std::make_shared<SharedMemoryAllReduce>()});
    if (replicas < 4) continue;
    settings.push_back(
        {replicas, std::make_shared<HierarchicalCopyAllReduce>()});
    settings.push_back({replicas, std::make_shared<ReductionToOneDevice>()});
  }
  settings.push_back({2, std::make_shared<SharedMemoryAllReduce>(), 2});
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Replicas, MirroredEquivalenceTest,
                         testing::ValuesIn(Settings()));

}  // namespace

// Batch normalization on several replicas: each uses its batch statistics; the moving
// averages are the mean of the copies, also in checkpoints.

namespace {

// Replica 0 has mean 1 and variance 1, replica 1 mean 12 and variance 4; all
// four numbers together mean 6.5 and variance 32.75.
PerReplica<Tensor> Batch() {
  return Tensors({Matrix({0, 2}, 2), Matrix({10, 14}, 2)});
}

BatchNormalization MakeNorm(Strategy& strategy,
                            const BatchNormalizationOptions& options = {
                                .momentum = 0.5, .epsilon = 0}) {
  const StrategyScope scope = strategy.Scope();
  const BatchNormalization norm(options);
  norm.Build(Shape{kUnknownDim, 1});
  return norm;
}

PerReplica<Tensor> Call(Strategy& strategy, const Layer& norm,
                        const PerReplica<Tensor>& batch, bool training) {
  return strategy.Run([&](const Tensor& x) { return norm(x, training); },
                      batch);
}

struct Moving {
  explicit Moving(const Layer& norm)
      : mean(norm.non_trainable_variables()[0]),
        variance(norm.non_trainable_variables()[1]) {}

  VariablePtr mean, variance;
};

Floats Copies(Strategy& strategy, const VariablePtr& variable) {
  Floats copies;
  for (const Tensor& copy : strategy.Run([&] { return variable->Read(); })) {
    copies.push_back(copy.item<float>());
  }
  return copies;
}

TEST(MirroredBatchNormalizationTest, EachReplicaNormalizesItsPart) {
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  const auto y = Call(*two, norm, Batch(), /*training=*/true);
  EXPECT_EQ(y[0].ToVector<float>(), (Floats{-1, 1}));
  EXPECT_EQ(y[1].ToVector<float>(), (Floats{-1, 1}));
}

TEST(MirroredBatchNormalizationTest, MovingAveragesAreTheMean) {
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  Call(*two, norm, Batch(), /*training=*/true);
  const Moving moving(norm);
  EXPECT_EQ(Copies(*two, moving.mean), (Floats{0.5, 6}));
  EXPECT_EQ(Copies(*two, moving.variance), (Floats{1, 2.5}));
  EXPECT_EQ(moving.mean->Read().item<float>(), 3.25f);
  EXPECT_EQ(moving.variance->Read().item<float>(), 1.75f);
}

TEST(MirroredBatchNormalizationTest, OneReplicaUsesTheWholeBatch) {
  const auto one = MakeStrategy(1);
  const auto norm = MakeNorm(*one);
  Call(*one, norm, Tensors({Matrix({0, 2, 10, 14}, 4)}), /*training=*/true);
  const Moving moving(norm);
  EXPECT_EQ(moving.mean->Read().item<float>(), 3.25f);
  EXPECT_EQ(moving.variance->Read().item<float>(), 16.875f);
}

TEST(MirroredBatchNormalizationTest, ReplicaWithoutDataKeepsItsCopy) {
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  const auto y =
      Call(*two, norm, Tensors({Matrix({0, 2}, 2), Tensor::Zeros({0, 1})}),
           /*training=*/true);
  EXPECT_EQ(y[1].shape(), (Shape{0, 1}));
  const Moving moving(norm);
  EXPECT_EQ(Copies(*two, moving.mean), (Floats{0.5, 0}));
  EXPECT_EQ(Copies(*two, moving.variance), (Floats{1, 1}));
}

// All four numbers have mean 2 and variance 2.
TEST(MirroredBatchNormalizationTest, SynchronizedMoments) {
  const auto two = MakeStrategy(2);
  const auto norm =
      MakeNorm(*two, {.momentum = 0.5, .epsilon = 2, .synchronized = true});
  const auto y =
      Call(*two, norm, Tensors({Matrix({0, 4}, 2), Matrix({2, 2}, 2)}),
           /*training=*/true);
  EXPECT_EQ(y[0].ToVector<float>(), (Floats{-1, 1}));
  EXPECT_EQ(y[1].ToVector<float>(), (Floats{0, 0}));
  const Moving moving(norm);
  EXPECT_EQ(Copies(*two, moving.mean), (Floats{1, 1}));
  EXPECT_EQ(Copies(*two, moving.variance), (Floats{1.5, 1.5}));
}

// Gradients of the sum of y * (row + 1) with respect to x, by row, and to gamma.
Floats Gradients(const std::vector<Tensor>& parts) {
  const auto strategy = MakeStrategy(static_cast<int>(parts.size()));
  const auto norm = MakeNorm(*strategy, {.synchronized = true});
  std::vector<Tensor> weights;
  float next = 1;
  for (const Tensor& part : parts) {
    Tensor weight = Tensor::Empty(part.shape());
    for (int64_t i = 0; i < part.num_elements(); ++i) {
      weight.mutable_data<float>()[i] = next++;
    }
    weights.push_back(weight);
  }
  const auto gradients = strategy->Run(
      [&](const Tensor& x, const Tensor& weight) {
        GradientTape tape;
        tape.Watch(x);
        const Tensor gamma = norm.trainable_variables()[0]->Read();
        const Tensor y = ops::Multiply(norm(x, /*training=*/true), weight);
        const auto d = tape.Gradient(y, std::vector<Tensor>{x, gamma});
        return Structure::Tuple({*d[0], *d[1]});
      },
      PerReplica<Tensor>(parts), PerReplica<Tensor>(weights));
  Floats result;
  float gamma = 0;
  for (const Structure& d : gradients) {
    for (const float g : d[0].leaf().span<float>()) result.push_back(g);
    gamma += d[1].leaf().item<float>();
  }
  result.push_back(gamma);
  return result;
}

TEST(MirroredBatchNormalizationTest, SynchronizedGradients) {
  const Floats one = Gradients({Matrix({0, 4, 1, -2}, 4)});
  const Tensor none = Tensor::Zeros({0, 1});
  for (const auto& parts :
       std::vector<std::vector<Tensor>>{{Matrix({0, 4}, 2), Matrix({1, -2}, 2)},
                                        {Matrix({0}, 1), Matrix({4, 1, -2}, 3)},
                                        {Matrix({0, 4, 1, -2}, 4), none}}) {
    const Floats many = Gradients(parts);
    ASSERT_EQ(many.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i) {
      // Sums of four numbers below 10, added in another order.
      EXPECT_NEAR(many[i], one[i], 1e-5) << i;
    }
  }
}

TEST(MirroredBatchNormalizationTest, OneSynchronizedReplica) {
  const auto one = MakeStrategy(1);
  const auto plain = MakeNorm(*one, {});
  const auto together = MakeNorm(*one, {.synchronized = true});
  const auto x = Tensors({Matrix({0, 4, 1, -2, 7, 3}, 6)});
  const Tensor wanted = Call(*one, plain, x, /*training=*/true)[0];
  const Tensor y = Call(*one, together, x, /*training=*/true)[0];
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(y.at<float>(i), wanted.at<float>(i), 1e-6) << i;
  }
}

TEST(MirroredBatchNormalizationTest, MeanIsSavedOnceAndRestored) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  Call(*two, norm, Batch(), /*training=*/true);
  const std::string path =
      Checkpoint({{"norm", norm.trackable()}}).Write(folder / "norm");
  const TensorBundleReader reader(path);
  EXPECT_EQ(reader.keys().size(), 5u);  // four variables and the graph
  EXPECT_EQ(
      reader.Read("norm/moving_mean/.ATTRIBUTES/VARIABLE_VALUE").item<float>(),
      3.25f);
  const auto three = MakeStrategy(3);
  const auto restored = MakeNorm(*three);
  Checkpoint({{"norm", restored.trackable()}}).Read(path).AssertConsumed();
  const Moving moving(restored);
  EXPECT_EQ(Copies(*three, moving.mean), Floats(3, 3.25f));
  EXPECT_EQ(Copies(*three, moving.variance), Floats(3, 1.75f));
}

}  // namespace
}  // namespace lockstep
