#include "reference/kernels/optimizer/loss_scale.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "reference/kernels/testing/test_tensors.h"

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

class UpdateLossScaleTest : public testing::Test {
 protected:
  // The scale and the count of finite steps after one more step.
  std::pair<float, int64_t> After(bool finite) {
    UpdateLossScale(Tensor::Scalar(finite), 2, scale_, finite_steps_);
    return {scale_.item<float>(), finite_steps_.item<int64_t>()};
  }

  Tensor scale_ = Tensor::Scalar(8.0f);
  Tensor finite_steps_ = Tensor::Scalar<int64_t>(0);
};

TEST_F(UpdateLossScaleTest, DoublesAndHalves) {
  using State = std::pair<float, int64_t>;
  EXPECT_EQ(After(true), (State{8, 1}));
  EXPECT_EQ(After(true), (State{16, 0}));
  EXPECT_EQ(After(true), (State{16, 1}));
  EXPECT_EQ(After(false), (State{8, 0}));
  EXPECT_EQ(After(true), (State{8, 1}));
}

TEST_F(UpdateLossScaleTest, StaysFinite) {
  scale_ = Tensor::Scalar(0x1p127f);
  finite_steps_ = Tensor::Scalar<int64_t>(1);
  EXPECT_EQ(After(true), (std::pair<float, int64_t>{0x1p127f, 0}));
}

TEST_F(UpdateLossScaleTest, RefusesOtherTypes) {
  Tensor wide = Tensor::Scalar(1.0);
  ExpectInvalid(
      [&] { UpdateLossScale(Tensor::Scalar(true), 2, wide, finite_steps_); },
      "scale must be float32");
  ExpectInvalid(
      [&] { UpdateLossScale(Tensor::Scalar(1.0f), 2, scale_, finite_steps_); },
      "finite must be bool");
}

}  // namespace
}  // namespace lockstep::kernels
