#include "reference/autodiff/ops/unary.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const Tensor kX = Tensor::FromVector<float>({-2, 0, 3});

TEST(UnaryTest, PolynomialsAreExact) {
  EXPECT_EQ(GradientOf([] { return Negate(kX); }, kX).ToVector<float>(),
            (Floats{-1, -1, -1}));
  EXPECT_EQ(GradientOf([] { return Square(kX); }, kX).ToVector<float>(),
            (Floats{-4, 0, 6}));
}

TEST(UnaryTest, PiecesHaveGradientZeroAtTheKink) {
  EXPECT_EQ(GradientOf([] { return Abs(kX); }, kX).ToVector<float>(),
            (Floats{-1, 0, 1}));
  EXPECT_EQ(GradientOf([] { return Relu(kX); }, kX).ToVector<float>(),
            (Floats{0, 0, 1}));
}

TEST(UnaryTest, ClipByValuePassesTheGradientBetweenItsBounds) {
  EXPECT_EQ(ClipByValue(kX, 0, 2).ToVector<float>(), (Floats{0, 0, 2}));
  EXPECT_EQ(
      GradientOf([] { return ClipByValue(kX, 0, 2); }, kX).ToVector<float>(),
      (Floats{0, 1, 0}));
  EXPECT_THROW(ClipByValue(kX, 2, 0), Error);
}

TEST(UnaryTest, SqrtAndLogAtExactPoints) {
  const Tensor x = Tensor::FromVector<float>({0.25, 4});
  EXPECT_EQ(GradientOf([&] { return Sqrt(x); }, x).ToVector<float>(),
            (Floats{1, 0.25}));
  EXPECT_EQ(GradientOf([&] { return Log(x); }, x).ToVector<float>(),
            (Floats{4, 0.25}));
}

TEST(UnaryTest, TranscendentalsAgreeWithDifferences) {
  const Tensor x = Tensor::FromVector<double>({-1.5, -0.25, 0, 0.5, 2});
  EXPECT_LT(GradientError(Exp, x), 20 * kGradientTolerance);  // up to 5 exp(2)
  EXPECT_LT(GradientError(Sigmoid, x), kGradientTolerance);
  EXPECT_LT(GradientError(Tanh, x), kGradientTolerance);
}

TEST(UnaryTest, SigmoidAndTanhAtZero) {
  const Tensor zero = Tensor::Scalar(0.0);
  EXPECT_EQ(GradientOf([&] { return Sigmoid(zero); }, zero).item<double>(),
            0.25);
  EXPECT_EQ(GradientOf([&] { return Tanh(zero); }, zero).item<double>(), 1);
}

}  // namespace
}  // namespace lockstep::ops
