#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernels/normalization/batch_norm.h"
#include "reference/kernels/normalization/softmax.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor Row(const Floats& values) { return Tensor::FromVector(values); }

// Two channels with means 3 and 10, variances 4 and 9.
const Tensor kX =
    Tensor::FromVector<float>({1, 7, 5, 13, 1, 13, 5, 7}, Shape{2, 2, 2});
const Tensor kGamma = Tensor::FromVector<float>({4, 6});
const Tensor kBeta = Tensor::FromVector<float>({1, -1});
const BatchNormOptions kExact{.epsilon = 0};

TEST(BatchNormTest, NormalizesByTheBatch) {
  const auto result = BatchNorm(kX, kGamma, kBeta, {}, kExact);
  EXPECT_EQ(result.mean.ToVector<float>(), (Floats{3, 10}));
  EXPECT_EQ(result.variance.ToVector<float>(), (Floats{4, 9}));
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-3, -7, 5, 5, -3, 5, 5, -7}));
  EXPECT_EQ(result.y.shape(), kX.shape());
}

TEST(BatchNormTest, GammaAndBetaAreOptional) {
  const auto result = BatchNorm(kX, {}, {}, {}, kExact);
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-1, -1, 1, 1, -1, 1, 1, -1}));
}

TEST(BatchNormTest, EpsilonIsAddedToTheVariance) {
  const Tensor x = Tensor::FromVector<float>({0, 2}, Shape{2, 1});
  const auto result = BatchNorm(x, {}, {}, {}, {.epsilon = 3});
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-0.5f, 0.5f}));
}

TEST(BatchNormTest, AddendIsAddedBeforeRelu) {
  const Tensor addend =
      Tensor::FromVector<float>({4, 4, -6, 0, 3, -5, 0, 8}, kX.shape());
  EXPECT_EQ(BatchNorm(kX, kGamma, kBeta, addend, kExact).y.ToVector<float>(),
            (Floats{1, -3, -1, 5, 0, 0, 5, 1}));
  const auto cut =
      BatchNorm(kX, kGamma, kBeta, addend, {.epsilon = 0, .relu = true});
  EXPECT_EQ(cut.y.ToVector<float>(), (Floats{1, 0, 0, 5, 0, 0, 5, 1}));
}

TEST(BatchNormTest, InferenceUsesGivenMoments) {
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

TEST(BatchNormTest, ReluCutsGradients) {
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

TEST(BatchNormTest, TeamsAndInstructionSetsAgree) {
  // More than one block of rows, and channels that do not fill the last vector.
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

TEST(BatchNormTest, BFloat16RoundsFloat32) {
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

// Adds two rows of another part to each sum.
BatchNormOptions WithPart(const std::vector<double>& other) {
  return {.epsilon = 2, .add_parts = [other](const Tensor& part) {
            std::vector<double> sums = part.ToVector<double>();
            for (size_t i = 0; i < sums.size(); ++i) sums[i] += other[i];
            return Tensor::FromVector(sums);
          }};
}

// Rows 0 and 4 here, 2 and 2 there: mean 2, variance 2.
TEST(BatchNormTest, PartsHaveTheMomentsOfTheWholeBatch) {
  const Tensor x = Tensor::FromVector<float>({0, 4}, Shape{2, 1});
  const auto result = BatchNorm(x, {}, {}, {}, WithPart({4, 8, 2}));
  EXPECT_EQ(result.rows, 4);
  EXPECT_EQ(result.mean.ToVector<float>(), (Floats{2}));
  EXPECT_EQ(result.variance.ToVector<float>(), (Floats{2}));
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-1, 1}));
}

// The other part's dy are 0, so dy have the sum 4 and with x - 2 the sum 4:
// dx = dy / 2 - 4 / 2 / 4 - (x - 2) * 4 / 2 / 4 / 4.
TEST(BatchNormTest, GradientOfAPartKnowsTheOthers) {
  const Tensor x = Tensor::FromVector<float>({0, 4}, Shape{2, 1});
  const Tensor dy = Tensor::FromVector<float>({1, 3}, Shape{2, 1});
  const auto d = BatchNormBackward({x, {}, Row({2}), Row({2}), {}}, dy,
                                   WithPart({0, 0, 2}), false);
  EXPECT_EQ(d.x.ToVector<float>(), (Floats{0.25f, 0.75f}));
  EXPECT_EQ(d.gamma.ToVector<float>(), (Floats{2}));
  EXPECT_EQ(d.beta.ToVector<float>(), (Floats{4}));
}

TEST(BatchNormTest, LargeMeanKeepsTheVariance) {
  // 2^20 and 2^20 + 2: the variance is exactly 1, which sums of squares in
  // float32 would lose.
  const float far = 1 << 20;
  const Tensor x = Tensor::FromVector<float>({far, far + 2}, Shape{2, 1});
  const auto result = BatchNorm(x, {}, {}, {}, kExact);
  EXPECT_EQ(result.variance.item<float>(), 1);
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-1, 1}));
}

TEST(BatchNormTest, EmptyBatch) {
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

TEST(BatchNormTest, RefusesWrongArguments) {
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

TEST(SoftmaxTest, KnownRows) {
  const Tensor x =
      Tensor::FromVector<float>({0, 0, 1000, 0, -1000, -1000}, Shape{3, 2});
  EXPECT_EQ(Softmax(x).ToVector<float>(),
            (std::vector<float>{0.5, 0.5, 1, 0, 0.5, 0.5}));
  const double third = std::log(3.0);
  const Tensor y = Softmax(Tensor::FromVector<double>({0, third}));
  EXPECT_DOUBLE_EQ(y.at<double>(0), 0.25);
  EXPECT_DOUBLE_EQ(y.at<double>(1), 0.75);
}

TEST(SoftmaxTest, NonFiniteRows) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor y = Softmax(Tensor::FromVector<float>(
      {std::nanf(""), 1, -infinity, 0, infinity, 0}, Shape{3, 2}));
  EXPECT_TRUE(std::isnan(y.at<float>(0)) && std::isnan(y.at<float>(1)));
  EXPECT_EQ(y.at<float>(2), 0);
  EXPECT_EQ(y.at<float>(3), 1);
  EXPECT_TRUE(std::isnan(y.at<float>(4)));
}

TEST(SoftmaxTest, GradientByHand) {
  const Tensor y = Tensor::FromVector<float>({0.25, 0.75});
  const Tensor dy = Tensor::FromVector<float>({1, 5});
  // dot = 4: 0.25 * (1 - 4), 0.75 * (5 - 4).
  EXPECT_EQ(SoftmaxBackward(y, dy).ToVector<float>(),
            (std::vector<float>{-0.75, 0.75}));
}

TEST(SoftmaxTest, RowsAreIndependent) {
  const Tensor x = Fractions(Shape{3, 700, 9}, 1);
  const Tensor alone = Softmax(x);
  const Tensor row = Softmax(x.Row(1).Row(5));
  ForEachTeam([&] {
    EXPECT_TRUE(BitwiseEqual(Softmax(x), alone));
    EXPECT_TRUE(BitwiseEqual(alone.Row(1).Row(5), row));
    EXPECT_TRUE(BitwiseEqual(SoftmaxBackward(alone, x).Row(2),
                             SoftmaxBackward(alone.Row(2), x.Row(2))));
  });
}

// 1003 numbers are several vectors of any length and a remainder.
TEST(SoftmaxTest, FusingInstructionSetsAgree) {
  const Tensor x = Fractions(Shape{2, 1003}, 1);
  std::vector<Tensor> first;
  ForEachFusingInstructionSet([&] {
    const Tensor y = Softmax(x);
    const Tensor wide = Softmax(x.Cast(DType::kFloat64));
    const std::vector<Tensor> results{
        y, wide, SoftmaxBackward(y, x),
        SoftmaxBackward(wide, x.Cast(DType::kFloat64))};
    if (first.empty()) first = results;
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(BitwiseEqual(results[i], first[i])) << "result " << i;
    }
  });
}

TEST(SoftmaxTest, LongRowsSumToOne) {
  ForEachInstructionSet([] {
    for (const int64_t n : {1, 3, 4, 8, 15, 16, 17, 33, 1000}) {
      const Tensor y = Softmax(Tensor::Full(Shape{2, n}, -7.0));
      for (const double value : y.span<double>()) {
        EXPECT_EQ(value, 1.0 / static_cast<double>(n));
      }
    }
  });
}

TEST(SoftmaxTest, EmptyTensors) {
  EXPECT_EQ(Softmax(Tensor::Empty(Shape{0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(Softmax(Tensor::Empty(Shape{3, 0})).shape(), (Shape{3, 0}));
}

TEST(SoftmaxTest, RefusesWrongArguments) {
  ExpectInvalid([] { Softmax(Tensor::Scalar(1.0f)); }, "must have an axis");
  ExpectInvalid([] { Softmax(Tensor::Zeros(Shape{2}, DType::kInt32)); },
                "float32 or float64");
  const Tensor y = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { SoftmaxBackward(y, Tensor::Zeros(Shape{3})); }, "agree");
}

Tensor Labels(const std::vector<int64_t>& labels, DType dtype) {
  return Tensor::FromVector<int64_t>(labels).Cast(dtype);
}

TEST(SparseSoftmaxCrossEntropyTest, KnownLosses) {
  const float third = std::log(3.0f);
  const Tensor logits =
      Tensor::FromVector<float>({0, 0, 0, third, 1000, 0}, Shape{3, 2});
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kUInt8}) {
    const Tensor labels = Labels({1, 0, 1}, dtype);
    const auto result = SparseSoftmaxCrossEntropy(logits, labels);
    EXPECT_FLOAT_EQ(result.loss.at<float>(0), 0.69314718f);
    EXPECT_FLOAT_EQ(result.loss.at<float>(1), 1.38629436f);
    EXPECT_EQ(result.loss.at<float>(2), 1000);
    const Tensor dlogits = SparseSoftmaxCrossEntropyBackward(
        result.softmax, labels, Tensor::FromVector<float>({2, 4, 1}));
    EXPECT_EQ(dlogits.at<float>(0), 1);
    EXPECT_EQ(dlogits.at<float>(1), -1);
    EXPECT_FLOAT_EQ(dlogits.at<float>(2), -3);
    EXPECT_FLOAT_EQ(dlogits.at<float>(3), 3);
    EXPECT_EQ(dlogits.at<float>(5), -1);
  }
}

TEST(SparseSoftmaxCrossEntropyTest, TeamsAgree) {
  const Tensor logits = Fractions(Shape{3000, 10}, 1);
  const Tensor labels = Labels(std::vector<int64_t>(3000, 7), DType::kInt32);
  const auto alone = SparseSoftmaxCrossEntropy(logits, labels);
  ForEachTeam([&] {
    const auto result = SparseSoftmaxCrossEntropy(logits, labels);
    EXPECT_TRUE(BitwiseEqual(result.loss, alone.loss));
    EXPECT_TRUE(BitwiseEqual(result.softmax, alone.softmax));
  });
}

TEST(SparseSoftmaxCrossEntropyTest, EmptyBatch) {
  const Tensor labels = Labels({}, DType::kInt64);
  const auto result =
      SparseSoftmaxCrossEntropy(Tensor::Empty(Shape{0, 4}), labels);
  EXPECT_EQ(result.loss.shape(), (Shape{0}));
  EXPECT_EQ(
      SparseSoftmaxCrossEntropyBackward(result.softmax, labels, result.loss)
          .shape(),
      (Shape{0, 4}));
}

TEST(SparseSoftmaxCrossEntropyTest, LabelsMustBeClasses) {
  const Tensor logits = Tensor::Zeros(Shape{2, 3});
  ExpectInvalid(
      [&] {
        SparseSoftmaxCrossEntropy(logits, Labels({0, 3}, DType::kInt32));
      },
      "label 3 of example 1 is not in [0, 3)");
  ExpectInvalid(
      [&] {
        SparseSoftmaxCrossEntropy(logits, Labels({-1, 0}, DType::kInt64));
      },
      "label -1 of example 0");
  ExpectInvalid(
      [] {
        SparseSoftmaxCrossEntropy(Tensor::Zeros(Shape{1, 0}),
                                  Labels({0}, DType::kInt32));
      },
      "not in [0, 0)");
}

TEST(SparseSoftmaxCrossEntropyTest, RefusesWrongArguments) {
  const Tensor logits = Tensor::Zeros(Shape{2, 3});
  const Tensor labels = Labels({0, 1}, DType::kInt32);
  ExpectInvalid([&] { SparseSoftmaxCrossEntropy(logits.Row(0), labels); },
                "logits must have rank 2");
  ExpectInvalid(
      [&] { SparseSoftmaxCrossEntropy(logits, labels.Cast(DType::kFloat32)); },
      "labels must be int32, int64 or uint8");
  ExpectInvalid([&] { SparseSoftmaxCrossEntropy(logits, labels.Slice(0, 1)); },
                "labels must be of shape (2,)");
  ExpectInvalid(
      [&] { SparseSoftmaxCrossEntropyBackward(logits, labels, logits); },
      "dloss must be of shape (2,)");
}

TEST(SoftmaxCrossEntropyTest, OneHotLabelsAreSparseLabels) {
  const Tensor logits = Fractions(Shape{5, 3}, 1);
  Tensor labels = Tensor::Zeros(logits.shape());
  for (int64_t i = 0; i < 5; ++i) labels.mutable_data<float>()[i * 3 + 2] = 1;
  const Tensor sparse = Tensor::Full<int64_t>(Shape{5}, 2);
  const Tensor dloss = Fractions(Shape{5}, 2);
  const auto dense_result = SoftmaxCrossEntropy(logits, labels);
  const auto sparse_result = SparseSoftmaxCrossEntropy(logits, sparse);
  EXPECT_TRUE(BitwiseEqual(dense_result.loss, sparse_result.loss));
  EXPECT_TRUE(BitwiseEqual(
      SoftmaxCrossEntropyBackward(dense_result.softmax, labels, dloss),
      SparseSoftmaxCrossEntropyBackward(sparse_result.softmax, sparse, dloss)));
}

TEST(SoftmaxCrossEntropyTest, SoftLabelsByHand) {
  const Tensor logits = Tensor::FromVector<double>({0, 0}, Shape{1, 2});
  const Tensor labels = Tensor::FromVector<double>({0.5, 1.5}, Shape{1, 2});
  const auto result = SoftmaxCrossEntropy(logits, labels);
  EXPECT_DOUBLE_EQ(result.loss.at<double>(0), 2 * 0.6931471805599453);
  const Tensor dlogits = SoftmaxCrossEntropyBackward(
      result.softmax, labels, Tensor::FromVector<double>({10}));
  EXPECT_EQ(dlogits.ToVector<double>(), (std::vector<double>{5, -5}));
}

TEST(SoftmaxCrossEntropyTest, ClassesOfProbabilityZeroAddNoLoss) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor logits = Tensor::FromVector<float>({-infinity, 0}, Shape{1, 2});
  const Tensor labels = Tensor::FromVector<float>({0, 1}, Shape{1, 2});
  EXPECT_EQ(SoftmaxCrossEntropy(logits, labels).loss.at<float>(0), 0);
}

TEST(SoftmaxCrossEntropyTest, EmptyTensors) {
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}}) {
    const Tensor empty = Tensor::Empty(shape);
    const auto result = SoftmaxCrossEntropy(empty, empty);
    EXPECT_EQ(result.loss.ToVector<float>(),
              std::vector<float>(static_cast<size_t>(shape[0]), 0.0f));
  }
}

TEST(SoftmaxCrossEntropyTest, RefusesWrongArguments) {
  const Tensor logits = Tensor::Zeros(Shape{2, 3});
  ExpectInvalid([&] { SoftmaxCrossEntropy(logits, logits.Row(0)); }, "agree");
  ExpectInvalid([&] { SoftmaxCrossEntropy(logits.Row(0), logits.Row(0)); },
                "rank 2");
  ExpectInvalid([&] { SoftmaxCrossEntropyBackward(logits, logits, logits); },
                "dloss must be of shape (2,)");
}

}  // namespace
}  // namespace lockstep::kernels
