// Batch normalization on several replicas: each one's own batch statistics,
// moving ones that are the mean of the copies, and saved so.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/layers/batch_normalization.h"
#include "reference/tensor_bundle/tensor_bundle_reader.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// Replica 0 has mean 1 and variance 1, replica 1 mean 12 and variance 4; all
// four numbers together mean 6.5 and variance 32.75.
PerReplica<Tensor> Batch() {
  return Tensors({Matrix({0, 2}, 2), Matrix({10, 14}, 2)});
}

std::unique_ptr<BatchNormalization> MakeNorm(
    Strategy& strategy, const BatchNormalizationOptions& options = {
                            .momentum = 0.5, .epsilon = 0}) {
  const StrategyScope scope = strategy.Scope();
  auto norm = std::make_unique<BatchNormalization>(options);
  norm->Build(Shape{kUnknownDim, 1});
  return norm;
}

PerReplica<Tensor> Call(Strategy& strategy, BatchNormalization& norm,
                        const PerReplica<Tensor>& batch, bool training) {
  return strategy.Run([&](const Tensor& x) { return norm(x, training); },
                      batch);
}

struct Moving {
  explicit Moving(const BatchNormalization& norm)
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

TEST(MirroredBatchNormalizationTest, EachReplicaNormalizesItsOwnPart) {
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  const auto y = Call(*two, *norm, Batch(), /*training=*/true);
  EXPECT_EQ(y[0].ToVector<float>(), (Floats{-1, 1}));
  EXPECT_EQ(y[1].ToVector<float>(), (Floats{-1, 1}));
}

TEST(MirroredBatchNormalizationTest, MovingMomentsAreTheMeanOfTheReplicas) {
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  Call(*two, *norm, Batch(), /*training=*/true);
  const Moving moving(*norm);
  EXPECT_EQ(Copies(*two, moving.mean), (Floats{0.5, 6}));
  EXPECT_EQ(Copies(*two, moving.variance), (Floats{1, 2.5}));
  EXPECT_EQ(moving.mean->Read().item<float>(), 3.25f);
  EXPECT_EQ(moving.variance->Read().item<float>(), 1.75f);
}

TEST(MirroredBatchNormalizationTest, OneReplicaTakesAllOfTheBatch) {
  const auto one = MakeStrategy(1);
  const auto norm = MakeNorm(*one);
  Call(*one, *norm, Tensors({Matrix({0, 2, 10, 14}, 4)}), /*training=*/true);
  const Moving moving(*norm);
  EXPECT_EQ(moving.mean->Read().item<float>(), 3.25f);
  EXPECT_EQ(moving.variance->Read().item<float>(), 16.875f);
}

TEST(MirroredBatchNormalizationTest, AReplicaWithoutDataKeepsItsCopy) {
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  const auto y =
      Call(*two, *norm, Tensors({Matrix({0, 2}, 2), Tensor::Zeros({0, 1})}),
           /*training=*/true);
  EXPECT_EQ(y[1].shape(), (Shape{0, 1}));
  const Moving moving(*norm);
  EXPECT_EQ(Copies(*two, moving.mean), (Floats{0.5, 0}));
  EXPECT_EQ(Copies(*two, moving.variance), (Floats{1, 1}));
}

// All four numbers have mean 2 and variance 2.
TEST(MirroredBatchNormalizationTest, SynchronizedReplicasUseTheMomentsOfAll) {
  const auto two = MakeStrategy(2);
  const auto norm =
      MakeNorm(*two, {.momentum = 0.5, .epsilon = 2, .synchronized = true});
  const auto y =
      Call(*two, *norm, Tensors({Matrix({0, 4}, 2), Matrix({2, 2}, 2)}),
           /*training=*/true);
  EXPECT_EQ(y[0].ToVector<float>(), (Floats{-1, 1}));
  EXPECT_EQ(y[1].ToVector<float>(), (Floats{0, 0}));
  const Moving moving(*norm);
  EXPECT_EQ(Copies(*two, moving.mean), (Floats{1, 1}));
  EXPECT_EQ(Copies(*two, moving.variance), (Floats{1.5, 1.5}));
}

// Gradients of the sum of y * (row + 1) for x, row by row, and for gamma.
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
        const Tensor gamma = norm->trainable_variables()[0]->Read();
        const Tensor y = ops::Multiply((*norm)(x, /*training=*/true), weight);
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

TEST(MirroredBatchNormalizationTest, SynchronizedGradientsAreThoseOfOne) {
  const Floats one = Gradients({Matrix({0, 4, 1, -2}, 4)});
  const Tensor none = Tensor::Zeros({0, 1});
  for (const auto& parts :
       std::vector<std::vector<Tensor>>{{Matrix({0, 4}, 2), Matrix({1, -2}, 2)},
                                        {Matrix({0}, 1), Matrix({4, 1, -2}, 3)},
                                        {Matrix({0, 4, 1, -2}, 4), none}}) {
    const Floats many = Gradients(parts);
    ASSERT_EQ(many.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i) {
      // Sums of four numbers below 10 in another order.
      EXPECT_NEAR(many[i], one[i], 1e-5) << i;
    }
  }
}

TEST(MirroredBatchNormalizationTest, OneSynchronizedReplicaIsAsAnyOther) {
  const auto one = MakeStrategy(1);
  const auto plain = MakeNorm(*one, {});
  const auto together = MakeNorm(*one, {.synchronized = true});
  const auto x = Tensors({Matrix({0, 4, 1, -2, 7, 3}, 6)});
  const Tensor wanted = Call(*one, *plain, x, /*training=*/true)[0];
  const Tensor y = Call(*one, *together, x, /*training=*/true)[0];
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(y.at<float>(i), wanted.at<float>(i), 1e-6) << i;
  }
}

TEST(MirroredBatchNormalizationTest, TheMeanIsSavedOnceAndRestoredEverywhere) {
  const TestFolder folder;
  const auto two = MakeStrategy(2);
  const auto norm = MakeNorm(*two);
  Call(*two, *norm, Batch(), /*training=*/true);
  const std::string path =
      Checkpoint({{"norm", norm.get()}}).Write(folder / "norm");
  const TensorBundleReader reader(path);
  EXPECT_EQ(reader.keys().size(), 5u);  // four variables and the graph
  EXPECT_EQ(
      reader.Read("norm/moving_mean/.ATTRIBUTES/VARIABLE_VALUE").item<float>(),
      3.25f);
  const auto three = MakeStrategy(3);
  const auto restored = MakeNorm(*three);
  Checkpoint({{"norm", restored.get()}}).Read(path).AssertConsumed();
  const Moving moving(*restored);
  EXPECT_EQ(Copies(*three, moving.mean), Floats(3, 3.25f));
  EXPECT_EQ(Copies(*three, moving.variance), Floats(3, 1.75f));
}

}  // namespace
}  // namespace lockstep
