#include "reference/kernels/optimizer/learning_rate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

Tensor Step(int64_t step) { return Tensor::Scalar(step); }

TEST(LearningRateTest, ExponentialDecay) {
  const ExponentialRate smooth{1.0, 2, 0.25, false};
  EXPECT_EQ(RateAt(Step(0), smooth).item<double>(), 1.0);
  EXPECT_EQ(RateAt(Step(1), smooth).item<double>(), 0.5);
  const ExponentialRate stairs{1.0, 2, 0.25, true};
  EXPECT_EQ(RateAt(Step(1), stairs).item<double>(), 1.0);
  EXPECT_EQ(RateAt(Step(2), stairs).item<double>(), 0.25);
}

TEST(LearningRateTest, BoundariesBelongToTheRateBefore) {
  const std::vector<int64_t> boundaries = {1, 3};
  const std::vector<double> values = {1.0, 0.5, 0.25};
  const std::vector<double> wanted = {1.0, 1.0, 0.5, 0.5, 0.25};
  for (int64_t step = 0; step < 5; ++step) {
    EXPECT_EQ(RateAt(Step(step), boundaries, values).item<double>(),
              wanted[step]);
  }
}

TEST(LearningRateTest, StepMustBeInt64) {
  ExpectInvalid(
      [] {
        RateAt(Tensor::Scalar<int32_t>(1), ExponentialRate{1, 1, 1, false});
      },
      "step must be int64");
}

}  // namespace
}  // namespace lockstep::kernels
