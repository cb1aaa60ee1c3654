// Training on N replicas does what training on one does: models, losses,
// optimizers and metrics together.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/dense.h"
#include "reference/layers/flatten.h"
#include "reference/layers/initializers/random_seed.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/sequential.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/mean_squared_error.h"
#include "reference/losses/scale_regularization_loss.h"
#include "reference/losses/sparse_categorical_crossentropy.h"
#include "reference/metrics/mean.h"
#include "reference/metrics/sparse_categorical_accuracy.h"
#include "reference/optimizers/adam.h"
#include "reference/optimizers/sgd.h"
#include "reference/regularizers/l2.h"
#include "reference/training/mirrored_testing.h"

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
  Sequential model({std::make_shared<Dense>(
      1, DenseOptions{.use_bias = false,
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

TEST(MirroredTrainingTest, OneStepIsTheSameOnAnyNumberOfReplicas) {
  for (const int replicas : {1, 2, 3}) {
    EXPECT_EQ(LinearStep(replicas), 2 - 0.125f * 10) << replicas;
  }
}

// A small network of the document's kind, trained on fixed noise.
class Training {
 public:
  static constexpr int64_t kGlobalBatchSize = 6;

  explicit Training(int replicas) : strategy_(MakeStrategy(replicas)) {
    const auto scope = strategy_->Scope();
    SetRandomSeed(7);
    const auto l2 = std::make_shared<L2>(0.125);
    model_ = std::make_unique<Sequential>(std::vector<LayerPtr>{
        std::make_shared<Conv2D>(4, 3,
                                 Conv2DOptions{.activation = Activation::kRelu,
                                               .kernel_regularizer = l2}),
        std::make_shared<MaxPooling2D>(), std::make_shared<Flatten>(),
        std::make_shared<Dense>(3)});
    optimizer_ = std::make_unique<Adam>(AdamConfig{.learning_rate = 0.01});
    mean_ = std::make_unique<Mean>("loss");
    accuracy_ = std::make_unique<SparseCategoricalAccuracy>();
    MakeData(replicas);
  }

  // The loss summed over replicas.
  float Step() {
    const PerReplica<Tensor> losses = strategy_->Run(
        [&](const Tensor& x, const Tensor& y) { return ReplicaStep(x, y); },
        images_, labels_);
    return strategy_->Reduce(ReduceOp::kSum, losses).item<float>();
  }

  Strategy& strategy() { return *strategy_; }
  Sequential& model() { return *model_; }
  Adam& optimizer() { return *optimizer_; }
  Mean& mean() { return *mean_; }
  SparseCategoricalAccuracy& accuracy() { return *accuracy_; }

 private:
  void MakeData(int replicas) {
    Random random(5);
    Tensor images = Tensor::Empty({kGlobalBatchSize, 6, 6, 1});
    for (int64_t i = 0; i < images.num_elements(); ++i) {
      images.mutable_data<float>()[i] = random.UniformFloat();
    }
    const Tensor labels = Tensor::FromVector<int64_t>({0, 1, 2, 2, 1, 0});
    std::vector<Tensor> image_parts, label_parts;
    for (int r = 0; r < replicas; ++r) {
      const int64_t begin = kGlobalBatchSize * r / replicas;
      const int64_t end = kGlobalBatchSize * (r + 1) / replicas;
      image_parts.push_back(images.Slice(begin, end));
      label_parts.push_back(labels.Slice(begin, end));
    }
    images_ = PerReplica<Tensor>(image_parts);
    labels_ = PerReplica<Tensor>(label_parts);
  }

  Tensor ReplicaStep(const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor logits = (*model_)(x, /*training=*/true);
    const Tensor losses = loss_(y, logits);
    const Tensor total = ops::Add(
        ComputeAverageLoss(losses, {.global_batch_size = kGlobalBatchSize}),
        ScaleRegularizationLoss(model_->losses()));
    const auto variables = model_->trainable_variables();
    auto gradients = tape.Gradient(total, variables);
    std::vector<GradientAndVariable> pairs;
    for (size_t i = 0; i < variables.size(); ++i) {
      pairs.emplace_back(std::move(gradients[i]), variables[i]);
    }
    optimizer_->ApplyGradients(pairs);
    mean_->UpdateState(losses);
    accuracy_->UpdateState(y, logits);
    return total;
  }

  std::unique_ptr<MirroredStrategy> strategy_;
  std::unique_ptr<Sequential> model_;
  std::unique_ptr<Adam> optimizer_;
  std::unique_ptr<Mean> mean_;
  std::unique_ptr<SparseCategoricalAccuracy> accuracy_;
  losses::SparseCategoricalCrossentropy loss_{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};
  PerReplica<Tensor> images_, labels_;
};

TEST(MirroredTrainingTest, ANetworkTrainsAsOnOneReplica) {
  Training one(1);
  Floats expected;
  for (int step = 0; step < 10; ++step) expected.push_back(one.Step());
  EXPECT_LT(expected.back(), expected.front());
  for (const int replicas : {2, 3}) {
    Training many(replicas);
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
  Training first(2);
  Floats losses;
  for (int step = 0; step < 3; ++step) losses.push_back(first.Step());
  Training second(2);
  for (const float loss : losses) EXPECT_EQ(second.Step(), loss);
  const auto a = first.model().variables(), b = second.model().variables();
  ASSERT_EQ(a.size(), 4u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(a[i]->Read(), b[i]->Read())) << i;
  }
}

std::vector<const void*> Memory(Training& training) {
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

TEST(MirroredTrainingTest, AStepUpdatesInPlaceAndTakesNoNewMemory) {
  Training training(2);
  for (int step = 0; step < 5; ++step) training.Step();
  const std::vector<const void*> memory = Memory(training);
  const int64_t allocations = SystemAllocations();
  for (int step = 0; step < 5; ++step) training.Step();
  EXPECT_EQ(Memory(training), memory);
  EXPECT_EQ(SystemAllocations(), allocations);
}

}  // namespace
}  // namespace lockstep
