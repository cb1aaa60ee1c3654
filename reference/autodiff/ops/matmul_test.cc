#include "reference/autodiff/ops/matmul.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Tensor Transposed(const Tensor& m) {
  Tensor t = Tensor::Empty(Shape{m.dim(1), m.dim(0)}, m.dtype());
  for (int64_t i = 0; i < m.dim(0); ++i) {
    for (int64_t j = 0; j < m.dim(1); ++j) {
      t.mutable_data<float>()[j * m.dim(0) + i] = m.at<float>(i * m.dim(1) + j);
    }
  }
  return t;
}

TEST(MatMulTest, GradientsOfAllTranspositions) {
  // y = a b for a [2, 3], b [3, 2], weighted by w: da = w b', db = a' w.
  const Tensor a = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  const Tensor b = Tensor::FromVector<float>({1, 0, 2, 1, 0, 3}, Shape{3, 2});
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  const Tensor da =
      Tensor::FromVector<float>({1, 4, 6, 3, 10, 12}, Shape{2, 3});
  const Tensor db =
      Tensor::FromVector<float>({13, 18, 17, 24, 21, 30}, Shape{3, 2});
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Tensor left = ta ? Transposed(a) : a;
      const Tensor right = tb ? Transposed(b) : b;
      EXPECT_EQ(MatMul(left, right, ta, tb).ToVector<float>(),
                (Floats{5, 11, 14, 23}));
      const auto d =
          GradientsOf([&] { return Multiply(MatMul(left, right, ta, tb), w); },
                      {left, right});
      EXPECT_TRUE(BitwiseEqual(d[0], ta ? Transposed(da) : da)) << ta << tb;
      EXPECT_TRUE(BitwiseEqual(d[1], tb ? Transposed(db) : db)) << ta << tb;
    }
  }
}

TEST(DenseTest, GradientsByHand) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor kernel = Tensor::FromVector<float>({1, 0, 3, -9}, Shape{2, 2});
  const Tensor bias = Tensor::FromVector<float>({0, 1});
  for (const bool relu : {false, true}) {
    const auto dense = [&] { return Dense(x, kernel, bias, relu); };
    EXPECT_EQ(dense().ToVector<float>(), (Floats{7, relu ? 0.0f : -17.0f}));
    const auto d = GradientsOf(dense, {x, kernel, bias});
    const float second = relu ? 0 : 1;  // the second unit is cut off
    EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 3 - 9 * second}));
    EXPECT_EQ(d[1].ToVector<float>(), (Floats{1, second, 2, 2 * second}));
    EXPECT_EQ(d[2].ToVector<float>(), (Floats{1, second}));
  }
}

TEST(DenseTest, TheBiasMayBeLeftOut) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor kernel = Tensor::FromVector<float>({1, 4}, Shape{2, 1});
  const auto d =
      GradientsOf([&] { return Dense(x, kernel, Tensor()); }, {x, kernel});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 4}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{1, 2}));
}

TEST(DenseTest, AnEmptyBatchGivesZeroGradients) {
  const Tensor x = Tensor::Zeros(Shape{0, 2});
  const Tensor kernel = Tensor::FromVector<float>({1, 4}, Shape{2, 1});
  const Tensor bias = Tensor::FromVector<float>({1});
  const auto d =
      GradientsOf([&] { return Dense(x, kernel, bias); }, {kernel, bias});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{0, 0}));
  EXPECT_EQ(d[1].ToVector<float>(), (Floats{0}));
}

}  // namespace
}  // namespace lockstep::ops
