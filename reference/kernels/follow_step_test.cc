#include "reference/kernels/follow_step.h"

#include <gtest/gtest.h>

#include <utility>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

class FollowStepTest : public testing::Test {
 protected:
  // The scale and the count of finite steps after one more step.
  std::pair<float, int64_t> After(bool finite) {
    FollowStep(Tensor::Scalar(finite), 2, scale_, finite_steps_);
    return {scale_.item<float>(), finite_steps_.item<int64_t>()};
  }

  Tensor scale_ = Tensor::Scalar(8.0f);
  Tensor finite_steps_ = Tensor::Scalar<int64_t>(0);
};

TEST_F(FollowStepTest, DoublesAfterFiniteStepsInARowAndHalves) {
  using State = std::pair<float, int64_t>;
  EXPECT_EQ(After(true), (State{8, 1}));
  EXPECT_EQ(After(true), (State{16, 0}));
  EXPECT_EQ(After(true), (State{16, 1}));
  EXPECT_EQ(After(false), (State{8, 0}));
  EXPECT_EQ(After(true), (State{8, 1}));
}

TEST_F(FollowStepTest, TheScaleStaysFinite) {
  scale_ = Tensor::Scalar(0x1p127f);
  finite_steps_ = Tensor::Scalar<int64_t>(1);
  EXPECT_EQ(After(true), (std::pair<float, int64_t>{0x1p127f, 0}));
}

TEST_F(FollowStepTest, RefusesOtherTypes) {
  Tensor wide = Tensor::Scalar(1.0);
  ExpectInvalid(
      [&] { FollowStep(Tensor::Scalar(true), 2, wide, finite_steps_); },
      "scale must be float32");
  ExpectInvalid(
      [&] { FollowStep(Tensor::Scalar(1.0f), 2, scale_, finite_steps_); },
      "finite must be bool");
}

}  // namespace
}  // namespace lockstep::kernels
