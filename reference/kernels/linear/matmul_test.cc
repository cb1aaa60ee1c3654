#include "reference/kernels/linear/matmul.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

// The product as a plain loop in double.
Tensor Oracle(const Tensor& a, const Tensor& b, bool transpose_a,
              bool transpose_b) {
  const int64_t m = a.dim(transpose_a ? 1 : 0);
  const int64_t k = a.dim(transpose_a ? 0 : 1);
  const int64_t n = b.dim(transpose_b ? 0 : 1);
  Tensor c = Tensor::Zeros(Shape{m, n}, DType::kFloat64);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p) {
        c.mutable_data<double>()[i * n + j] +=
            static_cast<double>(
                a.at<float>(transpose_a ? p * m + i : i * k + p)) *
            b.at<float>(transpose_b ? j * k + p : p * n + j);
      }
    }
  }
  return c;
}

void CheckSizes(int64_t m, int64_t n, int64_t k) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const Tensor a =
          SmallIntegers(transpose_a ? Shape{k, m} : Shape{m, k}, 1);
      const Tensor b =
          SmallIntegers(transpose_b ? Shape{n, k} : Shape{k, n}, 2);
      const Tensor wanted = Oracle(a, b, transpose_a, transpose_b);
      ExpectExact(MatMul(a, b, transpose_a, transpose_b), wanted);
      EXPECT_TRUE(
          BitwiseEqual(MatMul(a.Cast(DType::kFloat64), b.Cast(DType::kFloat64),
                              transpose_a, transpose_b),
                       wanted));
    }
  }
}

TEST(MatMulTest, HeaderExamples) {
  const Tensor a = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor column = Tensor::FromVector<float>({3, 4}, Shape{2, 1});
  EXPECT_EQ(MatMul(a, column).item<float>(), 11);
  EXPECT_EQ(MatMul(a, column.Reshape(Shape{1, 2}), false, true).item<float>(),
            11);
}

TEST(MatMulTest, EqualsTheOracle) {
  ForEachTeam([] {
    CheckSizes(1, 1, 1);
    CheckSizes(64, 10, 64);
    CheckSizes(65, 33, 300);
    CheckSizes(3, 170, 40);
  });
}

RC_GTEST_PROP(MatMulTest, EqualsTheOracleForAnySize, ()) {
  CheckSizes(*rc::gen::inRange(1, 40), *rc::gen::inRange(1, 40),
             *rc::gen::inRange(1, 40));
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(MatMulTest, EmptyDimensions) {
  EXPECT_EQ(
      MatMul(Tensor::Empty(Shape{0, 3}), Tensor::Zeros(Shape{3, 2})).shape(),
      (Shape{0, 2}));
  EXPECT_EQ(
      MatMul(Tensor::Zeros(Shape{2, 3}), Tensor::Empty(Shape{3, 0})).shape(),
      (Shape{2, 0}));
  EXPECT_EQ(MatMul(Tensor::Empty(Shape{2, 0}), Tensor::Empty(Shape{0, 1}))
                .ToVector<float>(),
            (std::vector<float>{0, 0}));
}

TEST(MatMulTest, RefusesWrongArguments) {
  const Tensor a = Tensor::Zeros(Shape{2, 3});
  ExpectInvalid([&] { MatMul(a, a); }, "do not chain");
  ExpectInvalid([&] { MatMul(a, a.Cast(DType::kFloat64)); }, "float32");
  ExpectInvalid([&] { MatMul(a.Row(0), a); }, "rank 2");
  ExpectInvalid([&] { MatMul(a.Cast(DType::kInt32), a); }, "float32 or");
}

using Floats = std::vector<float>;

Tensor Matrix(const Floats& values, const Shape& shape) {
  return Tensor::FromVector<float>(values, shape);
}

TEST(DenseTest, HeaderExamples) {
  const Tensor x = Matrix({1, 2}, Shape{1, 2});
  const Tensor kernel = Matrix({1, 0, 3, -9}, Shape{2, 2});
  const Tensor bias = Matrix({0, 1}, Shape{2});
  EXPECT_EQ(Dense(x, kernel, bias).ToVector<float>(), (Floats{7, -17}));
  EXPECT_EQ(Dense(x, kernel, bias, true).ToVector<float>(), (Floats{7, 0}));
  EXPECT_EQ(Dense(x, kernel, {}).ToVector<float>(), (Floats{7, -18}));
}

TEST(DenseTest, GradientsByHand) {
  const Tensor x = Matrix({1, 2, 3, 4}, Shape{2, 2});
  const Tensor kernel = Matrix({1, -1, 0, 1}, Shape{2, 2});
  // y = [[1, 1], [3, 1]] without bias; with it, ReLU cuts the last one.
  const Tensor y = Dense(x, kernel, Matrix({0, -1}, Shape{2}), true);
  EXPECT_EQ(y.ToVector<float>(), (Floats{1, 0, 3, 0}));
  const Tensor dy = Matrix({10, 20, 30, 40}, Shape{2, 2});
  const auto plain = DenseBackward(x, kernel, {}, dy, false, true);
  EXPECT_EQ(plain.kernel.ToVector<float>(), (Floats{100, 140, 140, 200}));
  EXPECT_EQ(plain.bias.ToVector<float>(), (Floats{40, 60}));
  EXPECT_EQ(plain.x.ToVector<float>(), (Floats{-10, 20, -10, 40}));
  const auto cut = DenseBackward(x, kernel, y, dy, true, false);
  EXPECT_EQ(cut.kernel.ToVector<float>(), (Floats{100, 0, 140, 0}));
  EXPECT_EQ(cut.bias.ToVector<float>(), (Floats{40, 0}));
  EXPECT_FALSE(cut.x.defined());
}

// Both maps are linear: <y, dy> = <x, dx> = <kernel, dkernel>.
TEST(DenseTest, BackwardIsTheTranspose) {
  ForEachTeam([] {
    for (const auto& [n, k, m] :
         std::vector<std::array<int64_t, 3>>{{64, 1600, 64}, {7, 33, 10}}) {
      const Tensor x = SmallIntegers(Shape{n, k}, 1);
      const Tensor kernel = SmallIntegers(Shape{k, m}, 2);
      const Tensor dy = SmallIntegers(Shape{n, m}, 3);
      const double product = Dot(Dense(x, kernel, {}), dy);
      const auto gradients = DenseBackward(x, kernel, {}, dy, false, true);
      EXPECT_EQ(product, Dot(x, gradients.x));
      EXPECT_EQ(product, Dot(kernel, gradients.kernel));
    }
  });
}

TEST(DenseTest, EmptyBatch) {
  const Tensor x = Tensor::Empty(Shape{0, 3});
  const Tensor kernel = SmallIntegers(Shape{3, 2}, 1);
  const Tensor y = Dense(x, kernel, Tensor::Zeros(Shape{2}), true);
  EXPECT_EQ(y.shape(), (Shape{0, 2}));
  const auto gradients = DenseBackward(x, kernel, y, y, true, true);
  EXPECT_EQ(gradients.kernel.ToVector<float>(), Floats(6, 0));
  EXPECT_EQ(gradients.bias.ToVector<float>(), Floats(2, 0));
  EXPECT_EQ(gradients.x.shape(), (Shape{0, 3}));
}

TEST(DenseTest, NaNStays) {
  const Tensor x = Matrix({std::nanf("")}, Shape{1, 1});
  const Tensor kernel = Matrix({1}, Shape{1, 1});
  EXPECT_TRUE(std::isnan(Dense(x, kernel, {}, true).item<float>()));
}

TEST(DenseTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{2, 3});
  const Tensor kernel = Tensor::Zeros(Shape{3, 4});
  ExpectInvalid(
      [&] { Dense(x, x, {}); },
      "[Dense] kernel must be of shape (3, None), got float32 (2, 3)");
  ExpectInvalid([&] { Dense(x, kernel, Tensor::Zeros(Shape{3})); },
                "bias must be of shape (4,)");
  ExpectInvalid([&] { Dense(x.Cast(DType::kFloat64), kernel, {}); },
                "x must be float32");
  ExpectInvalid([&] { DenseBackward(x, kernel, {}, x, false, true); },
                "dy must be of shape (2, 4)");
}

}  // namespace
}  // namespace lockstep::kernels
