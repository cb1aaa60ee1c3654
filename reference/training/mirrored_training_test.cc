// Training on N replicas does what training on one does: models, losses,
// optimizers and metrics together.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/layers/dense.h"
#include "reference/layers/sequential.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/mean_squared_error.h"
#include "reference/optimizers/sgd.h"
#include "reference/training/mirrored_testing.h"
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

TEST(MirroredTrainingTest, ANetworkTrainsAsOnOneReplica) {
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

TEST(MirroredTrainingTest, AStepUpdatesInPlaceAndTakesNoNewMemory) {
  SmallTraining training(2);
  for (int step = 0; step < 5; ++step) training.Step();
  const std::vector<const void*> memory = Memory(training);
  const int64_t allocations = SystemAllocations();
  for (int step = 0; step < 5; ++step) training.Step();
  EXPECT_EQ(Memory(training), memory);
  EXPECT_EQ(SystemAllocations(), allocations);
}

}  // namespace
}  // namespace lockstep
