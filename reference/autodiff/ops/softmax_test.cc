#include "reference/autodiff/ops/softmax.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const Tensor kLogits =
    Tensor::FromVector<double>({0.5, -1, 2, 0, 0.25, -0.5}, Shape{2, 3});

TEST(SoftmaxTest, AgreesWithDifferences) {
  EXPECT_LT(GradientError(Softmax, kLogits), kGradientTolerance);
}

TEST(SoftmaxTest, OfEqualLogits) {
  const Tensor zero = Tensor::Zeros(Shape{1, 2});
  EXPECT_EQ(Softmax(zero).ToVector<float>(), (Floats{0.5, 0.5}));
  EXPECT_EQ(GradientOf([&] { return Softmax(zero); }, zero).ToVector<float>(),
            (Floats{0, 0}));
}

TEST(SparseSoftmaxCrossEntropyTest, OfEqualLogits) {
  const Tensor zero = Tensor::Zeros(Shape{1, 4});
  const Tensor label = Tensor::FromVector<int64_t>({2});
  EXPECT_EQ(
      GradientOf([&] { return SparseSoftmaxCrossEntropy(zero, label); }, zero)
          .ToVector<float>(),
      (Floats{0.25, 0.25, -0.75, 0.25}));
}

TEST(SparseSoftmaxCrossEntropyTest, AgreesWithDifferences) {
  const Tensor labels = Tensor::FromVector<int64_t>({2, 0});
  EXPECT_LT(
      GradientError(
          [&](const Tensor& x) { return SparseSoftmaxCrossEntropy(x, labels); },
          kLogits),
      kGradientTolerance);
}

TEST(SoftmaxCrossEntropyTest, AgreesWithDifferences) {
  const Tensor labels =
      Tensor::FromVector<double>({0.25, 0.75, 0, 1, 0, 0}, Shape{2, 3});
  EXPECT_LT(GradientError(
                [&](const Tensor& x) { return SoftmaxCrossEntropy(x, labels); },
                kLogits),
            kGradientTolerance);
}

TEST(SparseSoftmaxCrossEntropyTest, LabelsOutOfRangeAreRefused) {
  EXPECT_THROW(
      SparseSoftmaxCrossEntropy(kLogits, Tensor::FromVector<int64_t>({0, 3})),
      Error);
}

}  // namespace
}  // namespace lockstep::ops
