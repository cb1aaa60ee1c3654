#include "reference/kernels/normalization/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor Row(const Floats& values) { return Tensor::FromVector(values); }

// Of two channels: means 3 and 10, variances 4 and 9.
const Tensor kX =
    Tensor::FromVector<float>({1, 7, 5, 13, 1, 13, 5, 7}, Shape{2, 2, 2});
const Tensor kGamma = Tensor::FromVector<float>({4, 6});
const Tensor kBeta = Tensor::FromVector<float>({1, -1});
const BatchNormOptions kExact{.epsilon = 0};

TEST(BatchNormTest, NormalizesByTheBatchsMoments) {
  const auto result = BatchNorm(kX, kGamma, kBeta, {}, kExact);
  EXPECT_EQ(result.mean.ToVector<float>(), (Floats{3, 10}));
  EXPECT_EQ(result.variance.ToVector<float>(), (Floats{4, 9}));
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-3, -7, 5, 5, -3, 5, 5, -7}));
  EXPECT_EQ(result.y.shape(), kX.shape());
}

TEST(BatchNormTest, GammaAndBetaMayBeLeftOut) {
  const auto result = BatchNorm(kX, {}, {}, {}, kExact);
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-1, -1, 1, 1, -1, 1, 1, -1}));
}

TEST(BatchNormTest, EpsilonIsAddedToTheVariance) {
  const Tensor x = Tensor::FromVector<float>({0, 2}, Shape{2, 1});
  const auto result = BatchNorm(x, {}, {}, {}, {.epsilon = 3});
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-0.5f, 0.5f}));
}

TEST(BatchNormTest, TheAddendComesBeforeTheRelu) {
  const Tensor addend =
      Tensor::FromVector<float>({4, 4, -6, 0, 3, -5, 0, 8}, kX.shape());
  EXPECT_EQ(BatchNorm(kX, kGamma, kBeta, addend, kExact).y.ToVector<float>(),
            (Floats{1, -3, -1, 5, 0, 0, 5, 1}));
  const auto cut =
      BatchNorm(kX, kGamma, kBeta, addend, {.epsilon = 0, .relu = true});
  EXPECT_EQ(cut.y.ToVector<float>(), (Floats{1, 0, 0, 5, 0, 0, 5, 1}));
}

TEST(BatchNormTest, InferenceTakesTheGivenMoments) {
  const Tensor y = BatchNormInference(kX, kGamma, kBeta, Row({1, 7}),
                                      Row({16, 36}), {}, kExact);
  EXPECT_EQ(y.ToVector<float>(), (Floats{1, -1, 5, 5, 1, 5, 5, -1}));
  const Tensor cut =
      BatchNormInference(kX, kGamma, kBeta, Row({5, 13}), Row({16, 36}), {},
                         {.epsilon = 0, .relu = true});
  EXPECT_EQ(cut.ToVector<float>(), (Floats{0, 0, 1, 0, 0, 0, 1, 0}));
}

// By hand: x^ = [-1, -1, 1, 1, ...], dbeta = sum dy, dgamma = sum dy x^,
// dx = gamma / deviation * (dy - mean(dy) - x^ mean(dy x^)).
TEST(BatchNormTest, GradientsByHand) {
  const Tensor dy =
      Tensor::FromVector<float>({4, 0, 0, 4, 0, 0, 0, 0}, kX.shape());
  const auto forward = BatchNorm(kX, kGamma, kBeta, {}, kExact);
  const BatchNormSaved saved{kX, kGamma, forward.mean, forward.variance, {}};
  const auto d = BatchNormBackward(saved, dy, kExact, /*need_addend=*/true);
  EXPECT_EQ(d.beta.ToVector<float>(), (Floats{4, 4}));
  EXPECT_EQ(d.gamma.ToVector<float>(), (Floats{-4, 4}));
  EXPECT_EQ(d.x.ToVector<float>(), (Floats{4, 0, 0, 4, -4, -4, 0, 0}));
  EXPECT_EQ(d.addend.ToVector<float>(), dy.ToVector<float>());
  const auto constant = BatchNormInferenceBackward(saved, dy, kExact, false);
  EXPECT_EQ(constant.beta.ToVector<float>(), (Floats{4, 4}));
  EXPECT_EQ(constant.gamma.ToVector<float>(), (Floats{-4, 4}));
  EXPECT_EQ(constant.x.ToVector<float>(), (Floats{8, 0, 0, 8, 0, 0, 0, 0}));
  EXPECT_FALSE(constant.addend.defined());
}

TEST(BatchNormTest, TheReluCutsGradients) {
  const BatchNormOptions options{.epsilon = 0, .relu = true};
  const Tensor addend = Tensor::Zeros(kX.shape());
  const auto forward = BatchNorm(kX, kGamma, kBeta, addend, options);
  const BatchNormSaved saved{kX, kGamma, forward.mean, forward.variance,
                             forward.y};
  const Tensor dy =
      Tensor::FromVector<float>({9, 9, 4, 4, 9, 0, 0, 9}, kX.shape());
  const auto d = BatchNormBackward(saved, dy, options, true);
  EXPECT_EQ(d.addend.ToVector<float>(), (Floats{0, 0, 4, 4, 0, 0, 0, 0}));
  EXPECT_EQ(d.beta.ToVector<float>(), (Floats{4, 4}));
  EXPECT_EQ(d.gamma.ToVector<float>(), (Floats{4, 4}));
  EXPECT_EQ(d.x.ToVector<float>(), (Floats{0, 0, 4, 4, 0, -4, -4, 0}));
}

TEST(BatchNormTest, EveryTeamAndInstructionSetGivesTheSameBits) {
  // More than one block of rows, a rest of channels behind every vector.
  const Tensor x = Fractions(Shape{37, 11, 13, 37}, 1);
  const Tensor dy = Fractions(x.shape(), 2);
  const BatchNormOptions options{.relu = true};
  const auto alone = BatchNorm(x, {}, {}, dy, options);
  const BatchNormSaved saved{x, {}, alone.mean, alone.variance, alone.y};
  const auto gradients = BatchNormBackward(saved, dy, options, true);
  const auto check = [&] {
    const auto again = BatchNorm(x, {}, {}, dy, options);
    EXPECT_TRUE(BitwiseEqual(again.y, alone.y));
    EXPECT_TRUE(BitwiseEqual(again.mean, alone.mean));
    EXPECT_TRUE(BitwiseEqual(again.variance, alone.variance));
    const auto d = BatchNormBackward(saved, dy, options, true);
    EXPECT_TRUE(BitwiseEqual(d.x, gradients.x));
    EXPECT_TRUE(BitwiseEqual(d.gamma, gradients.gamma));
    EXPECT_TRUE(BitwiseEqual(d.beta, gradients.beta));
    EXPECT_TRUE(BitwiseEqual(d.addend, gradients.addend));
  };
  ForEachTeam(check);
  ForEachInstructionSet(check);
}

TEST(BatchNormTest, BFloat16GivesWhatFloat32RoundsTo) {
  const Tensor x = Fractions(Shape{5, 7, 37}, 1).Cast(DType::kBFloat16);
  const Tensor dy = Fractions(x.shape(), 2).Cast(DType::kBFloat16);
  const Tensor gamma = Fractions(Shape{37}, 3);
  const Tensor wide_x = x.Cast(DType::kFloat32);
  const Tensor wide_dy = dy.Cast(DType::kFloat32);
  const BatchNormOptions options{.relu = true};
  const auto wanted = BatchNorm(wide_x, gamma, gamma, wide_dy, options);
  const auto wanted_d =
      BatchNormBackward({wide_x, gamma, wanted.mean, wanted.variance, wanted.y},
                        wide_dy, options, true);
  ForEachInstructionSet([&] {
    const auto got = BatchNorm(x, gamma, gamma, dy, options);
    EXPECT_TRUE(BitwiseEqual(got.y, wanted.y.Cast(DType::kBFloat16)));
    EXPECT_TRUE(BitwiseEqual(got.mean, wanted.mean));
    EXPECT_TRUE(BitwiseEqual(got.variance, wanted.variance));
    const auto d = BatchNormBackward({x, gamma, got.mean, got.variance, got.y},
                                     dy, options, true);
    EXPECT_TRUE(BitwiseEqual(d.x, wanted_d.x.Cast(DType::kBFloat16)));
    EXPECT_TRUE(BitwiseEqual(d.addend, wanted_d.addend.Cast(DType::kBFloat16)));
    EXPECT_TRUE(BitwiseEqual(d.gamma, wanted_d.gamma));
    EXPECT_TRUE(BitwiseEqual(d.beta, wanted_d.beta));
  });
}

TEST(BatchNormTest, AFarMeanLeavesTheVariance) {
  // 2^20 and 2^20 + 2: variance 1 exactly, lost by sums of squares in float32.
  const float far = 1 << 20;
  const Tensor x = Tensor::FromVector<float>({far, far + 2}, Shape{2, 1});
  const auto result = BatchNorm(x, {}, {}, {}, kExact);
  EXPECT_EQ(result.variance.item<float>(), 1);
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-1, 1}));
}

TEST(BatchNormTest, AnEmptyBatchHasNoMomentsAndZeroGradients) {
  const Tensor x = Tensor::Empty(Shape{0, 3, 3, 2});
  const auto result = BatchNorm(x, kGamma, kBeta, {}, {});
  EXPECT_EQ(result.y.shape(), x.shape());
  EXPECT_TRUE(std::isnan(result.mean.at<float>(0)));
  EXPECT_TRUE(std::isnan(result.variance.at<float>(1)));
  const auto d = BatchNormBackward(
      {x, kGamma, result.mean, result.variance, {}}, x, {}, false);
  EXPECT_EQ(d.x.shape(), x.shape());
  EXPECT_EQ(d.gamma.ToVector<float>(), (Floats{0, 0}));
  EXPECT_EQ(d.beta.ToVector<float>(), (Floats{0, 0}));
}

TEST(BatchNormTest, NaNStaysInItsChannel) {
  const Tensor x = Tensor::FromVector<float>({kNaN, 1, 0, 3}, Shape{2, 2});
  const auto result = BatchNorm(x, {}, {}, {}, {.epsilon = 0, .relu = true});
  EXPECT_TRUE(std::isnan(result.mean.at<float>(0)));
  EXPECT_TRUE(std::isnan(result.variance.at<float>(0)));
  EXPECT_TRUE(std::isnan(result.y.at<float>(0)));
  EXPECT_TRUE(std::isnan(result.y.at<float>(2)));
  EXPECT_EQ(result.y.at<float>(1), 0);
  EXPECT_EQ(result.y.at<float>(3), 1);
}

TEST(BatchNormTest, RefusesWhatDoesNotFit) {
  ExpectInvalid([] { BatchNorm(kX.Cast(DType::kInt32), {}, {}, {}, {}); },
                "float");
  ExpectInvalid([] { BatchNorm(kGamma, {}, {}, {}, {}); }, "must have rows");
  ExpectInvalid(
      [] {
        BatchNorm(Tensor::Zeros(Shape{2, 0}), {}, {}, {}, {});
      },
      "at least one channel");
  ExpectInvalid([] { BatchNorm(kX, Row({1}), {}, {}, {}); },
                "gamma must be of shape (2,)");
  ExpectInvalid([] { BatchNorm(kX, {}, kX, {}, {}); }, "beta must be");
  ExpectInvalid([] { BatchNorm(kX, {}, {}, kGamma, {}); }, "(2,)");
  ExpectInvalid(
      [] { BatchNormInference(kX, {}, {}, Row({1}), kGamma, {}, {}); },
      "mean must be of shape (2,)");
  const BatchNormSaved saved{kX, {}, kGamma, kGamma, {}};
  ExpectInvalid([&] { BatchNormBackward(saved, kGamma, {}, false); }, "(2,)");
  ExpectInvalid([&] { BatchNormBackward(saved, kX, {.relu = true}, false); },
                "no tensor");
}

}  // namespace
}  // namespace lockstep::kernels
