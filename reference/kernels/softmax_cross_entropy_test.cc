#include "reference/kernels/softmax_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

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

TEST(SoftmaxCrossEntropyTest, ImpossibleClassesCostNothing) {
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

TEST(SoftmaxCrossEntropyTest, RefusesWhatDoesNotFit) {
  const Tensor logits = Tensor::Zeros(Shape{2, 3});
  ExpectInvalid([&] { SoftmaxCrossEntropy(logits, logits.Row(0)); }, "agree");
  ExpectInvalid([&] { SoftmaxCrossEntropy(logits.Row(0), logits.Row(0)); },
                "rank 2");
  ExpectInvalid([&] { SoftmaxCrossEntropyBackward(logits, logits, logits); },
                "dloss must be of shape (2,)");
}

}  // namespace
}  // namespace lockstep::kernels
