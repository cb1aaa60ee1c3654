#include "reference/kernels/matmul.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "reference/kernels/test_tensors.h"

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

TEST(MatMulTest, ExamplesOfTheHeader) {
  const Tensor a = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor column = Tensor::FromVector<float>({3, 4}, Shape{2, 1});
  EXPECT_EQ(MatMul(a, column).item<float>(), 11);
  EXPECT_EQ(MatMul(a, column.Reshape(Shape{1, 2}), false, true).item<float>(),
            11);
}

TEST(MatMulTest, EqualsTheOracleForEveryTeam) {
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

TEST(MatMulTest, RefusesWhatDoesNotFit) {
  const Tensor a = Tensor::Zeros(Shape{2, 3});
  ExpectInvalid([&] { MatMul(a, a); }, "do not chain");
  ExpectInvalid([&] { MatMul(a, a.Cast(DType::kFloat64)); }, "float32");
  ExpectInvalid([&] { MatMul(a.Row(0), a); }, "rank 2");
  ExpectInvalid([&] { MatMul(a.Cast(DType::kInt32), a); }, "float32 or");
}

}  // namespace
}  // namespace lockstep::kernels
