#include "reference/kernels/all_finite.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(AllFiniteTest, OneElementIsEnough) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Tensor good = Tensor::FromVector<float>({1, -2, 3});
  EXPECT_TRUE(AllFinite({good, good}).item<bool>());
  for (const float bad : {kInfinity, -kInfinity, kInfinity - kInfinity}) {
    const Tensor last = Tensor::FromVector<float>({1, bad});
    EXPECT_FALSE(AllFinite({good, last}).item<bool>());
    EXPECT_FALSE(AllFinite({last.Cast(DType::kFloat64)}).item<bool>());
  }
  EXPECT_TRUE(AllFinite({Tensor::FromVector<int32_t>({1})}).item<bool>());
  EXPECT_TRUE(AllFinite({Tensor::Zeros(Shape{0})}).item<bool>());
}

}  // namespace
}  // namespace lockstep::kernels
