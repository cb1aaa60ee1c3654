#include "reference/optimizers/piecewise_constant_decay.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

TEST(PiecewiseConstantDecayTest, ABoundaryBelongsToTheValueBefore) {
  const PiecewiseConstantDecay rate({1, 3}, {1.0, 0.5, 0.25});
  EXPECT_EQ(rate.At(0), 1.0);
  EXPECT_EQ(rate.At(1), 1.0);
  EXPECT_EQ(rate.At(2), 0.5);
  EXPECT_EQ(rate.At(3), 0.5);
  EXPECT_EQ(rate.At(4), 0.25);
}

TEST(PiecewiseConstantDecayTest, RefusesCountsAndOrdersThatCannotBe) {
  EXPECT_THROW(PiecewiseConstantDecay({1}, {1.0}), Error);
  EXPECT_THROW(PiecewiseConstantDecay({2, 2}, {1, 2, 3}), Error);
}

}  // namespace
}  // namespace lockstep
