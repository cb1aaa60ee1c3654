#include "reference/kernels/optimizer/training_step.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

Tensor Step(int64_t step) { return Tensor::Scalar(step); }

TEST(LearningRateTest, DecaysByAPower) {
  const ExponentialRate smooth{1.0, 2, 0.25, false};
  EXPECT_EQ(RateAt(Step(0), smooth).item<double>(), 1.0);
  EXPECT_EQ(RateAt(Step(1), smooth).item<double>(), 0.5);
  const ExponentialRate stairs{1.0, 2, 0.25, true};
  EXPECT_EQ(RateAt(Step(1), stairs).item<double>(), 1.0);
  EXPECT_EQ(RateAt(Step(2), stairs).item<double>(), 0.25);
}

TEST(LearningRateTest, ABoundaryBelongsToTheValueBefore) {
  const std::vector<int64_t> boundaries = {1, 3};
  const std::vector<double> values = {1.0, 0.5, 0.25};
  const std::vector<double> wanted = {1.0, 1.0, 0.5, 0.5, 0.25};
  for (int64_t step = 0; step < 5; ++step) {
    EXPECT_EQ(RateAt(Step(step), boundaries, values).item<double>(),
              wanted[step]);
  }
}

TEST(LearningRateTest, CountsStepsInInt64) {
  ExpectInvalid(
      [] {
        RateAt(Tensor::Scalar<int32_t>(1), ExponentialRate{1, 1, 1, false});
      },
      "step must be int64");
}

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

std::vector<Tensor> Gradients() {
  return {Tensor::FromVector<float>({3, 4}), Tensor::FromVector<float>({12})};
}

TEST(ClipGradientsTest, ByNormShortensEachOnItsOwn) {
  std::vector<Tensor> gradients = Gradients();
  ClipByNorm(gradients, 6);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
}

TEST(ClipGradientsTest, ByGlobalNormShortensAllTogether) {
  std::vector<Tensor> gradients = Gradients();  // together 13 long
  ClipByGlobalNorm(gradients, 6.5);
  EXPECT_EQ(gradients[0].ToVector<float>(), (std::vector<float>{1.5, 2}));
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
  ClipByGlobalNorm(gradients, 6.5);  // short enough by now
  EXPECT_EQ(gradients[1].ToVector<float>(), (std::vector<float>{6}));
}

TEST(ClipGradientsTest, ByValueCutsElements) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Tensor> gradients = {Tensor::FromVector<float>({-3, 1, nan})};
  ClipByValue(gradients, 2);
  EXPECT_EQ(gradients[0].at<float>(0), -2);
  EXPECT_EQ(gradients[0].at<float>(1), 1);
  EXPECT_TRUE(std::isnan(gradients[0].at<float>(2)));
}

TEST(ClipGradientsTest, LeavesWhatItWasGivenUntouched) {
  const Tensor original = Tensor::FromVector<float>({3, 4});
  std::vector<Tensor> gradients = {original};
  ClipByNorm(gradients, 1);
  EXPECT_EQ(original.ToVector<float>(), (std::vector<float>{3, 4}));
}

TEST(ClipGradientsTest, RefusesIntegers) {
  std::vector<Tensor> gradients = {Tensor::FromVector<int32_t>({3})};
  EXPECT_THROW(ClipByValue(gradients, 1), Error);
}

}  // namespace
}  // namespace lockstep::kernels
