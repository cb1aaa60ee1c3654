#include "reference/autodiff/ops/convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Tensor Image(const Floats& values, int64_t rows, int64_t columns) {
  return Tensor::FromVector(values, Shape{1, rows, columns, 1});
}

TEST(Conv2DTest, GradientsByHand) {
  const Tensor x = Image({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3);
  const Tensor filter =
      Tensor::FromVector<float>({1, 0, 0, 1}, Shape{2, 2, 1, 1});
  const Tensor bias = Tensor::FromVector<float>({0});
  const auto conv = [&] { return Conv2D(x, filter, bias, {}); };
  EXPECT_EQ(conv().ToVector<float>(), (Floats{6, 8, 12, 14}));
  const auto d = GradientsOf(conv, {x, filter, bias});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 1, 0, 1, 2, 1, 0, 1, 1}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{12, 16, 24, 28}));
  EXPECT_EQ(d[2].ToVector<float>(), (Floats{4}));
}

TEST(Conv2DTest, AReluCutsGradients) {
  const Tensor x = Image({1, -2, 3, -4}, 2, 2);
  const Tensor filter = Tensor::FromVector<float>({2}, Shape{1, 1, 1, 1});
  const Tensor bias = Tensor::FromVector<float>({0});
  const auto d =
      GradientsOf([&] { return Conv2D(x, filter, bias, {.relu = true}); },
                  {x, filter, bias});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{2, 0, 2, 0}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{4}));
  EXPECT_EQ(d[2].ToVector<float>(), (Floats{2}));
}

TEST(MaxPool2DTest, TheWinnerTakesTheGradient) {
  const Tensor x = Image({1, 2, 5, 6, 4, 3, 8, 7}, 2, 4);
  const auto pool = [&] { return MaxPool2D(x, {}); };
  EXPECT_EQ(pool().ToVector<float>(), (Floats{4, 8}));
  EXPECT_EQ(GradientOf(pool, x).ToVector<float>(),
            (Floats{0, 0, 0, 0, 1, 0, 1, 0}));
}

TEST(AvgPool2DTest, EveryElementOfAWindowGetsItsPart) {
  const Tensor x = Image({1, 2, 5, 6, 4, 3, 8, 7}, 2, 4);
  const auto pool = [&] { return AvgPool2D(x, {.strides = {1, 1}}); };
  EXPECT_EQ(pool().ToVector<float>(), (Floats{2.5f, 4.5f, 6.5f}));
  EXPECT_EQ(GradientOf(pool, x).ToVector<float>(),
            (Floats{0.25f, 0.5f, 0.5f, 0.25f, 0.25f, 0.5f, 0.5f, 0.25f}));
}

// Small integers, so that the order of additions cannot matter.
Tensor Integers(const Shape& shape, int factor) {
  Floats values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * factor % 7) - 3);
  }
  return Tensor::FromVector(values, shape);
}

TEST(Conv2DReluMaxPool2DTest, EqualsItsPartsBitForBit) {
  const Tensor x = Integers(Shape{3, 9, 8, 2}, 5);
  const Tensor filter = Integers(Shape{3, 3, 2, 16}, 3);
  const Tensor bias = Integers(Shape{16}, 2);
  for (const auto padding :
       {kernels::Padding::kValid, kernels::Padding::kSame}) {
    const auto parts = [&] {
      return MaxPool2D(
          Conv2D(x, filter, bias, {.padding = padding, .relu = true}), {});
    };
    const auto fused = [&] {
      return Conv2DReluMaxPool2D(x, filter, bias, {.padding = padding});
    };
    EXPECT_TRUE(BitwiseEqual(fused(), parts()));
    const auto expected = GradientsOf(parts, {x, filter, bias});
    const auto got = GradientsOf(fused, {x, filter, bias});
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(BitwiseEqual(got[i], expected[i])) << i;
    }
  }
}

TEST(Conv2DReluMaxPool2DTest, TheBiasMayBeLeftOut) {
  const Tensor x = Integers(Shape{1, 4, 4, 1}, 5);
  const Tensor filter = Integers(Shape{1, 1, 1, 1}, 1);
  const Tensor y = Conv2DReluMaxPool2D(x, filter, Tensor(), {});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 1}));
}

}  // namespace
}  // namespace lockstep::ops
