#include "reference/kernels/cuda/choose_plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace lockstep::kernels_internal {
namespace {

void Succeed() {}
void Fail() { throw Internal("[Library] {}", "bad parameter"); }
void RunOutOfMemory() { throw ResourceExhausted("[Library] {}", "no memory"); }

struct Offer {
  double seconds;
  bool builds = true;
  Verdict verdict = Verdict::kTaken;
  void (*build)() = &Succeed;
  void (*try_out)() = &Succeed;
  void (*time)() = &Succeed;
};

struct Kind {
  std::vector<Offer> offers;
  void (*ask)() = &Succeed;
};

// What ChoosePlan takes, as 10 * kind + i; -1 for none.
class ChoosePlanTest : public testing::Test {
 protected:
  int Choose(const std::vector<Kind>& kinds, const Few& few) {
    built_ = timed_ = 0;
    const auto offer = [&](size_t plan) -> const Offer& {
      return kinds[plan / 10].offers[plan % 10];
    };
    const PlanTrial<size_t> trial{
        .offers =
            [&](size_t kind) {
              kinds[kind].ask();
              return kinds[kind].offers.size();
            },
        .build =
            [&](size_t kind, size_t i) {
              ++built_;
              const size_t plan = 10 * kind + i;
              offer(plan).build();
              return offer(plan).builds ? std::make_unique<size_t>(plan)
                                        : nullptr;
            },
        .try_out =
            [&](const size_t& plan) {
              offer(plan).try_out();
              return offer(plan).verdict;
            },
        .seconds =
            [&](const size_t& plan) {
              ++timed_;
              offer(plan).time();
              return offer(plan).seconds;
            }};
    choice_ = ChoosePlan(kinds.size(), trial, few);
    return choice_.plan == nullptr ? -1 : static_cast<int>(*choice_.plan);
  }
  Choice<size_t> choice_;
  int built_ = 0;
  int timed_ = 0;
};

constexpr Few kOne{};

TEST_F(ChoosePlanTest, TakesTheFastestOfAFew) {
  EXPECT_EQ(Choose({{{{3}, {2}, {4}, {1}}}}, {9, 3}), 1);
  EXPECT_EQ(built_, 3);
  EXPECT_EQ(timed_, 3);
  EXPECT_EQ(Choose({{{{3}, {2}, {4}, {1}}}}, {9, 4}), 3);
}

TEST_F(ChoosePlanTest, TakesAFewOfEachKind) {
  EXPECT_EQ(Choose({{{{5}, {4}, {1}}}, {{{3}, {2}}}}, {2, 4}), 11);
  EXPECT_EQ(built_, 4);
  EXPECT_EQ(Choose({{{{5}, {4}, {1}}}, {{{3}, {2}}}}, {2, 3}), 10);
}

TEST_F(ChoosePlanTest, OneIsTheFirstAndIsNotTimed) {
  EXPECT_EQ(Choose({{{{3}, {2}}}, {{{1}}}}, kOne), 0);
  EXPECT_EQ(built_, 1);
  EXPECT_EQ(timed_, 0);
}

TEST_F(ChoosePlanTest, WhatCannotBeUsedDoesNotCount) {
  const std::vector<Kind> kinds = {
      {{{1, false}, {1, true, Verdict::kRefused}, {5}, {4}, {2}}}};
  EXPECT_EQ(Choose(kinds, kOne), 2);
  EXPECT_EQ(Choose(kinds, {2, 2}), 3);
  EXPECT_EQ(timed_, 2);
  EXPECT_EQ(choice_.offered, 4u);
}

TEST_F(ChoosePlanTest, OfEqualsTheFirst) {
  EXPECT_EQ(Choose({{{{2}, {2}}}, {{{2}}}}, {3, 3}), 0);
}

TEST_F(ChoosePlanTest, ATimeThatIsNoNumberLosesToAnyThatIs) {
  EXPECT_EQ(
      Choose({{{{1}, {std::numeric_limits<double>::quiet_NaN()}}}}, {2, 2}), 0);
}

TEST_F(ChoosePlanTest, NoneOfNone) {
  EXPECT_EQ(Choose({}, {3, 3}), -1);
  EXPECT_EQ(choice_.problem, "");
  EXPECT_EQ(Choose({{{{1, false}, {1, true, Verdict::kRefused}}}}, {3, 3}), -1);
}

TEST_F(ChoosePlanTest, AnyFailureMeansTheNextPlan) {
  constexpr Verdict kTaken = Verdict::kTaken;
  const Offer no_build{1, true, kTaken, &Fail};
  const Offer no_run{1, true, kTaken, &Succeed, &Fail};
  const Offer no_time{1, true, kTaken, &Succeed, &Succeed, &Fail};
  EXPECT_EQ(Choose({{{no_build, no_run, {5}}}}, kOne), 2);
  EXPECT_EQ(Choose({{{no_build, no_run, no_time, {5}}}}, {4, 4}), 3);
  EXPECT_EQ(Choose({{{no_run}}, {{{7}}}}, kOne), 10);
  EXPECT_EQ(Choose({{{{1}}, &Fail}, {{{7}}}}, kOne), 10);
}

TEST_F(ChoosePlanTest, SaysWhyThereIsNone) {
  EXPECT_EQ(Choose({{{}, &Fail}}, kOne), -1);
  EXPECT_EQ(choice_.problem, "[Library] bad parameter");
}

TEST_F(ChoosePlanTest, ALackOfMemoryReachesTheCaller) {
  constexpr Verdict kTaken = Verdict::kTaken;
  const std::vector<Kind> kinds[] = {
      {{{}, &RunOutOfMemory}, {{{1}}}},
      {{{{1, true, kTaken, &RunOutOfMemory}, {1}}}},
      {{{{1, true, kTaken, &Succeed, &RunOutOfMemory}, {1}}}}};
  for (const std::vector<Kind>& tried : kinds) {
    try {
      Choose(tried, kOne);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted);
    }
  }
}

TEST_F(ChoosePlanTest, AKindThatLosesNaNTwiceIsGivenUp) {
  const Offer loses{1, true, Verdict::kLosesNaN};
  EXPECT_EQ(Choose({{{loses, loses, {1}}}, {{{7}}}}, kOne), 10);
  EXPECT_EQ(built_, 3);
  EXPECT_EQ(Choose({{{loses, {1}, loses, {0}}}, {{{7}}}}, {4, 4}), 1);
  EXPECT_EQ(built_, 4);
  // Of another kind it is counted anew.
  EXPECT_EQ(Choose({{{loses, loses}}, {{loses, {7}}}}, kOne), 11);
}

}  // namespace
}  // namespace lockstep::kernels_internal
