#include "reference/kernels/arg_max.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Indices = std::vector<int64_t>;

TEST(ArgMaxTest, AlongAnyAxisOfAnyType) {
  const Tensor x = Tensor::FromVector<int64_t>({1, 3, 2, 5, 5, 4}, Shape{2, 3});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32,
                            DType::kInt64, DType::kUInt8}) {
    EXPECT_EQ(ArgMax(x.Cast(dtype), 1).ToVector<int64_t>(), (Indices{1, 0}));
    EXPECT_EQ(ArgMax(x.Cast(dtype), -2).ToVector<int64_t>(),
              (Indices{1, 1, 1}));
  }
  EXPECT_EQ(ArgMax(x.Reshape(Shape{6}), 0).item<int64_t>(), 3);
}

TEST(ArgMaxTest, FirstNaNIsLargest) {
  const Tensor x =
      Tensor::FromVector<float>({1, std::nanf(""), 9, std::nanf("")});
  EXPECT_EQ(ArgMax(x, 0).item<int64_t>(), 1);
}

TEST(ArgMaxTest, EmptyRows) {
  EXPECT_EQ(ArgMax(Tensor::Empty(Shape{0, 3}), 1).shape(), (Shape{0}));
  ExpectInvalid(
      [] {
        ArgMax(Tensor::Empty(Shape{0, 3}), 0);
      },
      "has no elements");
}

TEST(ArgMaxTest, RefusesWhatDoesNotFit) {
  ExpectInvalid([] { ArgMax(Tensor::Zeros(Shape{2}), 1); }, "axis 1");
  ExpectInvalid([] { ArgMax(Tensor::Scalar(1.0f), 0); }, "axis 0");
  ExpectInvalid([] { ArgMax(Tensor::Zeros(Shape{2}, DType::kBool), 0); },
                "must hold numbers");
}

}  // namespace
}  // namespace lockstep::kernels
