#include "reference/optimizers/exponential_decay.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

TEST(ExponentialDecayTest, HalvesEachStep) {
  const ExponentialDecay rate(1.0, 1, 0.5);
  EXPECT_EQ(rate.At(0), 1.0);
  EXPECT_EQ(rate.At(1), 0.5);
  EXPECT_EQ(rate.At(2), 0.25);
}

TEST(ExponentialDecayTest, AStaircaseHasFlatParts) {
  const ExponentialDecay rate(8.0, 2, 0.25, /*staircase=*/true);
  EXPECT_EQ(rate.At(1), 8.0);
  EXPECT_EQ(rate.At(3), 2.0);
}

TEST(ExponentialDecayTest, RefusesNoSteps) {
  EXPECT_THROW(ExponentialDecay(1.0, 0, 0.5), Error);
}

}  // namespace
}  // namespace lockstep
