#include "reference/kernels/cuda/choose_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::kernels_internal {
namespace {

struct Offer {
  double seconds;
  bool builds = true;
  bool accepted = true;
};

// The index that ChoosePlan takes, -1 for none.
class ChoosePlanTest : public testing::Test {
 protected:
  int Choose(const std::vector<Offer>& offers, int few) {
    built_ = timed_ = 0;
    const PlanTrial<size_t> trial{
        .build =
            [&](size_t i) {
              ++built_;
              return offers[i].builds ? std::make_unique<size_t>(i) : nullptr;
            },
        .accept = [&](const size_t& i) { return offers[i].accepted; },
        .seconds =
            [&](const size_t& i) {
              ++timed_;
              return offers[i].seconds;
            }};
    const auto plan = ChoosePlan(offers.size(), trial, few);
    return plan == nullptr ? -1 : static_cast<int>(*plan);
  }
  int built_ = 0;
  int timed_ = 0;
};

TEST_F(ChoosePlanTest, TakesTheFastestOfAFew) {
  EXPECT_EQ(Choose({{3}, {2}, {4}, {1}}, 3), 1);
  EXPECT_EQ(built_, 3);
  EXPECT_EQ(timed_, 3);
  EXPECT_EQ(Choose({{3}, {2}, {4}, {1}}, 4), 3);
}

TEST_F(ChoosePlanTest, OneIsTheFirstAndIsNotTimed) {
  EXPECT_EQ(Choose({{3}, {2}}, 1), 0);
  EXPECT_EQ(timed_, 0);
}

TEST_F(ChoosePlanTest, WhatCannotBeUsedDoesNotCount) {
  const std::vector<Offer> offers = {
      {1, false}, {1, true, false}, {5}, {4}, {2}};
  EXPECT_EQ(Choose(offers, 1), 2);
  EXPECT_EQ(Choose(offers, 2), 3);
  EXPECT_EQ(timed_, 2);
}

TEST_F(ChoosePlanTest, OfEqualsTheFirst) {
  EXPECT_EQ(Choose({{2}, {2}, {2}}, 3), 0);
}

TEST_F(ChoosePlanTest, ATimeThatIsNoNumberLosesToAnyThatIs) {
  EXPECT_EQ(Choose({{1}, {std::numeric_limits<double>::quiet_NaN()}}, 2), 0);
}

TEST_F(ChoosePlanTest, NoneOfNone) {
  EXPECT_EQ(Choose({}, 3), -1);
  EXPECT_EQ(Choose({{1, false}, {1, true, false}}, 3), -1);
}

}  // namespace
}  // namespace lockstep::kernels_internal
