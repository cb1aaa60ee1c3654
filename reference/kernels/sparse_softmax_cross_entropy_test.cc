#include "reference/kernels/sparse_softmax_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

Tensor Labels(const std::vector<int64_t>& labels, DType dtype) {
  return Tensor::FromVector<int64_t>(labels).Cast(dtype);
}

TEST(SparseSoftmaxCrossEntropyTest, KnownLossesForEveryTypeOfLabel) {
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

TEST(SparseSoftmaxCrossEntropyTest, EveryTeamGivesTheSame) {
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

TEST(SparseSoftmaxCrossEntropyTest, RefusesWhatDoesNotFit) {
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

}  // namespace
}  // namespace lockstep::kernels
