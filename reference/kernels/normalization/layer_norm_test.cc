#include "reference/kernels/normalization/layer_norm.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error_testing.h"
#include "reference/kernels/testing/test_tensors.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

// Two rows, with means 3 and 10, variances 4 and 9.
const Tensor kX =
    Tensor::FromVector<float>({1, 5, 1, 5, 7, 13, 7, 13}, Shape{2, 4});
const Tensor kGamma = Tensor::FromVector<float>({4, 6, 2, 1});
const Tensor kBeta = Tensor::FromVector<float>({1, -1, 0, 3});

TEST(LayerNormTest, NormalizesEachRow) {
  const LayerNormResult result = LayerNorm(kX, kGamma, kBeta, /*epsilon=*/0);
  EXPECT_EQ(result.saved.means.ToVector<float>(), (Floats{3, 10}));
  EXPECT_EQ(result.saved.scales.ToVector<float>(),
            (Floats{1 / 2.0f, 1 / 3.0f}));
  EXPECT_EQ(result.y.ToVector<float>(), (Floats{-3, 5, -2, 4, -3, 5, -2, 4}));
  EXPECT_EQ(LayerNorm(kX, {}, {}, 0).y.ToVector<float>(),
            (Floats{-1, 1, -1, 1, -1, 1, -1, 1}));
}

TEST(LayerNormTest, EpsilonIsAddedToTheVariance) {
  const Tensor x = Tensor::FromVector<float>({0, 2}, Shape{1, 2});
  EXPECT_EQ(LayerNorm(x, {}, {}, 3).y.ToVector<float>(), (Floats{-0.5f, 0.5f}));
}

// By hand: g = dy * gamma, and dx = (g - mean of g - x * mean of (g * x)) /
// sqrt(variance) of the normalized x.
TEST(LayerNormTest, Gradients) {
  const Tensor dy =
      Tensor::FromVector<float>({1, 1, 1, 2, 1, 1, 1, 2}, kX.shape());
  // g = 4, 6, 2, 2 with mean 3.5; products -4, 6, -2, 2 with mean 0.5.
  const LayerNormGradients d =
      LayerNormBackward(LayerNorm(kX, kGamma, kBeta, 0).saved, dy);
  EXPECT_EQ(d.x.ToVector<float>(), (Floats{0.5f, 1, -0.5f, -1, 1 / 3.0f,
                                           2 / 3.0f, -1 / 3.0f, -2 / 3.0f}));
  EXPECT_EQ(d.gamma.ToVector<float>(), (Floats{-2, 2, -2, 4}));
  EXPECT_EQ(d.beta.ToVector<float>(), (Floats{2, 2, 2, 4}));
}

// 3000 rows of 19 numbers are several blocks, and 19 is no number of lanes.
TEST(LayerNormTest, DoesNotDependOnThreads) {
  const Shape shape{3000, 19};
  const Tensor x = Fractions(shape, 1), dy = Fractions(shape, 2);
  const Tensor gamma = Fractions(Shape{19}, 3);
  const LayerNormResult alone = LayerNorm(x, gamma, {}, 1e-3);
  const LayerNormGradients d = LayerNormBackward(alone.saved, dy);
  ForEachTeam([&] {
    const LayerNormResult result = LayerNorm(x, gamma, {}, 1e-3);
    EXPECT_TRUE(BitwiseEqual(result.y, alone.y));
    const LayerNormGradients gradients = LayerNormBackward(result.saved, dy);
    EXPECT_TRUE(BitwiseEqual(gradients.x, d.x));
    EXPECT_TRUE(BitwiseEqual(gradients.gamma, d.gamma));
    EXPECT_TRUE(BitwiseEqual(gradients.beta, d.beta));
  });
}

// Half of 22 numbers 1, half 5: mean 3 and variance 4 for all vectors.
TEST(LayerNormTest, IsExactWithEachInstructionSet) {
  Floats numbers(22, 1), normalized(22, -1);
  for (size_t i = 0; i < numbers.size(); i += 2) {
    numbers[i] = 5;
    normalized[i] = 1;
  }
  const Tensor x = Tensor::FromVector(numbers, Shape{1, 22});
  const Tensor dy = SmallIntegers(x.shape(), 1);
  ForEachInstructionSet([&] {
    const LayerNormResult result = LayerNorm(x, {}, {}, 0);
    EXPECT_EQ(result.y.ToVector<float>(), normalized);
    EXPECT_EQ(LayerNormBackward(result.saved, dy).beta.ToVector<float>(),
              dy.ToVector<float>());
  });
}

TEST(LayerNormTest, EmptyBatch) {
  const LayerNormResult none = LayerNorm(Tensor::Zeros(Shape{0, 4}), {}, {}, 1);
  EXPECT_EQ(none.y.shape(), (Shape{0, 4}));
  const LayerNormGradients d = LayerNormBackward(none.saved, none.y);
  EXPECT_EQ(d.gamma.ToVector<float>(), (Floats{0, 0, 0, 0}));
}

TEST(LayerNormTest, RefusesWrongArguments) {
  const auto code = [](const Tensor& x, const Tensor& gamma) {
    return CodeOf([&] { LayerNorm(x, gamma, {}, 1e-3); });
  };
  EXPECT_EQ(code(Tensor::Scalar(1.0f), {}), Code::kInvalidArgument);
  EXPECT_EQ(code(kX.Cast(DType::kInt32), {}), Code::kInvalidArgument);
  EXPECT_EQ(code(kX, Tensor::Zeros(Shape{3})), Code::kInvalidArgument);
  EXPECT_EQ(code(kX, kGamma.Cast(DType::kFloat64)), Code::kInvalidArgument);
  const LayerNormSaved saved = LayerNorm(kX, {}, {}, 1e-3).saved;
  EXPECT_EQ(CodeOf([&] { LayerNormBackward(saved, kGamma); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::kernels
