#include "reference/autodiff/ops/batch_norm.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/autodiff/ops/unary.h"

namespace lockstep::ops {
namespace {

using Doubles = std::vector<double>;

Tensor Column(const Doubles& values) {
  return Tensor::FromVector(values, Shape{static_cast<int64_t>(values.size())});
}

// Three rows of two channels; with kAddend no sum is near the ReLU's corner.
const Tensor kX =
    Tensor::FromVector<double>({1, -2, 4, 0.5, 2.5, 3}, Shape{3, 2});
const Tensor kAddend =
    Tensor::FromVector<double>({0.5, -1, 2, 1.5, -3, 0.25}, Shape{3, 2});
const Tensor kGamma = Column({1.5, -0.5});
const Tensor kBeta = Column({0.25, 1});
const Tensor kMean = Column({2, 1});
const Tensor kVariance = Column({4, 0.5});

// The largest gradient error over all four inputs of function(x, gamma, beta,
// addend).
template <class Function>
void CheckAll(const Function& function) {
  EXPECT_LT(
      GradientError(
          [&](const Tensor& x) { return function(x, kGamma, kBeta, kAddend); },
          kX),
      kGradientTolerance);
  EXPECT_LT(GradientError(
                [&](const Tensor& gamma) {
                  return function(kX, gamma, kBeta, kAddend);
                },
                kGamma),
            kGradientTolerance);
  EXPECT_LT(GradientError(
                [&](const Tensor& beta) {
                  return function(kX, kGamma, beta, kAddend);
                },
                kBeta),
            kGradientTolerance);
  EXPECT_LT(GradientError(
                [&](const Tensor& addend) {
                  return function(kX, kGamma, kBeta, addend);
                },
                kAddend),
            kGradientTolerance);
}

TEST(BatchNormTest, GradientsAreThoseOfDifferences) {
  for (const bool relu : {false, true}) {
    SCOPED_TRACE(relu);
    CheckAll([&](const Tensor& x, const Tensor& gamma, const Tensor& beta,
                 const Tensor& addend) {
      return BatchNorm(x, gamma, beta, addend, {.relu = relu}).y;
    });
  }
}

TEST(BatchNormInferenceTest, GradientsAreThoseOfDifferences) {
  for (const bool relu : {false, true}) {
    SCOPED_TRACE(relu);
    CheckAll([&](const Tensor& x, const Tensor& gamma, const Tensor& beta,
                 const Tensor& addend) {
      return BatchNormInference(x, gamma, beta, kMean, kVariance, addend,
                                {.relu = relu});
    });
  }
}

TEST(BatchNormTest, FusedEqualsItsPartsBitForBit) {
  const Tensor gamma = kGamma, beta = kBeta, x = kX, addend = kAddend;
  const auto parts = [&] {
    return Relu(Add(BatchNorm(x, gamma, beta, {}, {}).y, addend));
  };
  const auto fused = [&] {
    return BatchNorm(x, gamma, beta, addend, {.relu = true}).y;
  };
  EXPECT_TRUE(BitwiseEqual(fused(), parts()));
  const auto expected = GradientsOf(parts, {x, gamma, beta, addend});
  const auto got = GradientsOf(fused, {x, gamma, beta, addend});
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(BitwiseEqual(got[i], expected[i])) << i;
  }
}

TEST(BatchNormTest, NoGradientFlowsThroughTheMoments) {
  GradientTape tape;
  tape.Watch(kX);
  const auto result = BatchNorm(kX, kGamma, kBeta, {}, {});
  EXPECT_FALSE(IsRecorded(result.mean));
  EXPECT_FALSE(IsRecorded(result.variance));
  EXPECT_TRUE(IsRecorded(result.y));
}

}  // namespace
}  // namespace lockstep::ops
