#include "reference/autodiff/ops/arithmetic.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const Tensor kA = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
const Tensor kB = Tensor::FromVector<float>({2, 4, 8, 16}, Shape{2, 2});
const Tensor kRow = Tensor::FromVector<float>({2, 4});

TEST(ArithmeticTest, AddPassesTheGradientOn) {
  const auto d = GradientsOf([] { return Add(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 1, 1, 1}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{1, 1, 1, 1}));
}

TEST(ArithmeticTest, SubtractTurnsTheSecondSign) {
  EXPECT_EQ(Subtract(kA, kB).ToVector<float>(), (Floats{-1, -2, -5, -12}));
  const auto d = GradientsOf([] { return Subtract(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 1, 1, 1}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{-1, -1, -1, -1}));
}

TEST(ArithmeticTest, MultiplyGivesTheOtherFactor) {
  const auto d = GradientsOf([] { return Multiply(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), kB.ToVector<float>());
  EXPECT_EQ(d[1].ToVector<float>(), kA.ToVector<float>());
}

TEST(ArithmeticTest, VariablesAndTensorsAreSourcesTogether) {
  const auto make = [](float value) {
    return MakeVariable(
        {.initial_value = [=] { return Tensor::Scalar(value); }});
  };
  const VariablePtr v = make(3), unused = make(1);
  const Tensor x = Tensor::Scalar(5.0f);
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Multiply(Multiply(x, v->Read()), v->Read());  // x v v
  const std::vector<GradientSource> sources = {x, unused, v};
  const Gradients gradients = tape.Gradient(y, sources);
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_EQ(gradients[0]->item<float>(), 9);
  EXPECT_FALSE(gradients[1]);
  EXPECT_EQ(gradients[2]->item<float>(), 30);
}

TEST(ArithmeticTest, DivideFollowsTheQuotientRule) {
  const auto d = GradientsOf([] { return Divide(kA, kB); }, {kA, kB});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{0.5, 0.25, 0.125, 0.0625}));
  EXPECT_EQ(d[1].ToVector<float>(),
            (Floats{-0.25, -0.125, -3.0f / 64, -1.0f / 64}));
}

TEST(ArithmeticTest, ABroadcastInputGetsTheSum) {
  // Columns of kA: (1, 3) and (2, 4).
  EXPECT_EQ(GradientOf([] { return Add(kA, kRow); }, kRow).ToVector<float>(),
            (Floats{2, 2}));
  EXPECT_EQ(
      GradientOf([] { return Subtract(kA, kRow); }, kRow).ToVector<float>(),
      (Floats{-2, -2}));
  EXPECT_EQ(
      GradientOf([] { return Multiply(kA, kRow); }, kRow).ToVector<float>(),
      (Floats{4, 6}));
  EXPECT_EQ(GradientOf([] { return Divide(kA, kRow); }, kRow).ToVector<float>(),
            (Floats{-1, -0.375}));
  const Tensor scalar = Tensor::Scalar(3.0f);
  const auto d =
      GradientsOf([&] { return Multiply(scalar, kA); }, {scalar, kA});
  EXPECT_EQ(d[0].item<float>(), 10);
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{3, 3, 3, 3}));
}

TEST(ArithmeticTest, ScaleScalesTheGradient) {
  EXPECT_EQ(Scale(kA, 0.5).ToVector<float>(), (Floats{0.5, 1, 1.5, 2}));
  EXPECT_EQ(GradientOf([] { return Scale(kA, 0.5); }, kA).ToVector<float>(),
            (Floats{0.5, 0.5, 0.5, 0.5}));
}

TEST(ArithmeticTest, TheSameTensorTwiceGetsBothParts) {
  EXPECT_EQ(GradientOf([] { return Multiply(kA, kA); }, kA).ToVector<float>(),
            (Floats{2, 4, 6, 8}));
}

TEST(ArithmeticTest, EmptyBatchesGiveZero) {
  const Tensor empty = Tensor::Zeros(Shape{0, 2});
  EXPECT_EQ(
      GradientOf([&] { return Add(empty, kRow); }, kRow).ToVector<float>(),
      (Floats{0, 0}));
  EXPECT_THROW(Add(kA, Tensor::Scalar(1.0)), Error);
}

}  // namespace
}  // namespace lockstep::ops
