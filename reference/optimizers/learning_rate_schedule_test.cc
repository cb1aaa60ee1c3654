#include "reference/optimizers/learning_rate_schedule.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/optimizers/decay_schedules.h"

namespace lockstep {
namespace {

TEST(ExponentialDecayTest, HalvesEachStep) {
  const ExponentialDecay rate(1.0, 1, 0.5);
  EXPECT_EQ(rate.At(0), 1.0);
  EXPECT_EQ(rate.At(1), 0.5);
  EXPECT_EQ(rate.At(2), 0.25);
}

TEST(ExponentialDecayTest, StaircaseHasFlatParts) {
  const ExponentialDecay rate(8.0, 2, 0.25, /*staircase=*/true);
  EXPECT_EQ(rate.At(1), 8.0);
  EXPECT_EQ(rate.At(3), 2.0);
}

TEST(ExponentialDecayTest, RefusesNoSteps) {
  EXPECT_THROW(ExponentialDecay(1.0, 0, 0.5), Error);
}

TEST(PiecewiseConstantDecayTest, BoundariesBelongToTheValueBefore) {
  const PiecewiseConstantDecay rate({1, 3}, {1.0, 0.5, 0.25});
  EXPECT_EQ(rate.At(0), 1.0);
  EXPECT_EQ(rate.At(1), 1.0);
  EXPECT_EQ(rate.At(2), 0.5);
  EXPECT_EQ(rate.At(3), 0.5);
  EXPECT_EQ(rate.At(4), 0.25);
}

TEST(PiecewiseConstantDecayTest, RefusesInvalidBoundaries) {
  EXPECT_THROW(PiecewiseConstantDecay({1}, {1.0}), Error);
  EXPECT_THROW(PiecewiseConstantDecay({2, 2}, {1, 2, 3}), Error);
}

// Rates by step, from Keras 3.15.1 (in float32).
void ExpectRates(const LearningRateSchedule& schedule,
                 const std::map<int64_t, double>& expected) {
  for (const auto& [step, rate] : expected) {
    EXPECT_NEAR(schedule.At(step), rate, 1e-7) << "step " << step;
  }
}

TEST(CosineDecayTest, FollowsKeras) {
  ExpectRates(CosineDecay(0.5, 10, {.alpha = 0.1}), {{0, 0.5},
                                                     {1, 0.488987714},
                                                     {3, 0.407251686},
                                                     {5, 0.274999976},
                                                     {10, 0.05},
                                                     {15, 0.05}});
  EXPECT_EQ(CosineDecay(0.5, 10).At(Tensor::Scalar<int64_t>(0)).item<double>(),
            0.5);
}

TEST(CosineDecayTest, WarmsUpFirst) {
  ExpectRates(
      CosineDecay(0, 10,
                  {.alpha = 0.1, .warmup_target = 0.5, .warmup_steps = 4}),
      {{0, 0},
       {1, 0.125},
       {3, 0.375},
       {4, 0.5},
       {5, 0.488987714},
       {10, 0.205471128},
       {15, 0.05}});
  ExpectRates(CosineDecay(0.5, 10, {.warmup_target = 1, .warmup_steps = 0}),
              {{0, 1}});
  // Without a target there is no warm-up, whatever warmup_steps is.
  ExpectRates(CosineDecay(0.5, 10, {.alpha = 0.1, .warmup_steps = 4}),
              {{1, 0.488987714}});
}

TEST(CosineDecayRestartsTest, FollowsKeras) {
  ExpectRates(CosineDecayRestarts(0.5, 4), {{0, 0.5},
                                            {1, 0.426776707},
                                            {3, 0.0732233077},
                                            {4, 0.5},
                                            {5, 0.480969876},
                                            {10, 0.0732233077},
                                            {12, 0.5},
                                            {15, 0.457867384}});
  ExpectRates(
      CosineDecayRestarts(0.5, 4, {.t_mul = 1, .m_mul = 0.5, .alpha = 0.1}),
      {{3, 0.115900978},
       {4, 0.275000006},
       {5, 0.242049515},
       {8, 0.162499994},
       {10, 0.106249996},
       {15, 0.0582376234}});
  ExpectRates(
      CosineDecayRestarts(0.5, 4, {.t_mul = 2, .m_mul = 0.5, .alpha = 0.1}),
      {{5, 0.266436458}, {10, 0.0829504877}, {12, 0.162499994}});
}

TEST(CosineDecayRestartsTest, BordersOfPeriodsAreExact) {
  for (const double growth : {2.0, 3.0, 5.0, 7.0, 10.0}) {
    const CosineDecayRestarts rate(0.5, 1, {.t_mul = growth});
    int64_t border = 0, length = 1;
    for (int period = 0; period < 8; ++period) {
      EXPECT_EQ(rate.At(border), 0.5) << growth << " period " << period;
      border += length;
      length *= static_cast<int64_t>(growth);
    }
  }
}

TEST(PolynomialDecayTest, FollowsKeras) {
  ExpectRates(PolynomialDecay(0.5, 10, {.end_learning_rate = 0.1, .power = 2}),
              {{0, 0.5}, {1, 0.423999965}, {5, 0.2}, {10, 0.1}, {15, 0.1}});
  ExpectRates(PolynomialDecay(0.5, 10),
              {{1, 0.450010002}, {5, 0.250050008}, {15, 0.0001}});
  ExpectRates(
      PolynomialDecay(0.5, 4, {.end_learning_rate = 0.1, .cycle = true}),
      {{0, 0.5},
       {3, 0.2},
       {4, 0.1},
       {5, 0.25},
       {8, 0.1},
       {10, 0.166666687},
       {15, 0.125}});
}

TEST(InverseTimeDecayTest, FollowsKeras) {
  ExpectRates(
      InverseTimeDecay(0.5, 4, 0.5),
      {{0, 0.5}, {1, 0.444444448}, {5, 0.307692319}, {15, 0.173913047}});
  ExpectRates(InverseTimeDecay(0.5, 4, 0.5, /*staircase=*/true),
              {{3, 0.5}, {5, 0.333333343}, {10, 0.25}, {15, 0.2}});
}

TEST(DecaySchedulesTest, RefuseInvalidSettings) {
  ExpectError([] { CosineDecay(0.5, 0); }, Code::kInvalidArgument,
              "[CosineDecay] decay_steps must be positive, got 0");
  EXPECT_EQ(CodeOf([] { PolynomialDecay(0.5, -1); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { InverseTimeDecay(0.5, 0, 0.5); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { CosineDecayRestarts(0.5, 4, {.t_mul = 0.5}); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              CosineDecay(0.5, 4, {.warmup_target = 1, .warmup_steps = -1});
            }),
            Code::kInvalidArgument);
}

// Two steps up to 0.01 before a linear decay to 0 at step 10. By hand.
TEST(WarmUpTest, RisesFromZeroBeforeTheDecay) {
  const auto decay = std::make_shared<PolynomialDecay>(
      0.01, 10, PolynomialDecayOptions{.end_learning_rate = 0});
  const WarmUp rate(decay, 2, 0.01);
  EXPECT_EQ(rate.At(0), 0);
  EXPECT_DOUBLE_EQ(rate.At(1), 0.005);
  EXPECT_DOUBLE_EQ(rate.At(2), 0.008);
  EXPECT_DOUBLE_EQ(rate.At(9), 0.001);
  EXPECT_EQ(rate.At(12), 0);
  EXPECT_DOUBLE_EQ(WarmUp(decay, 4, 0.01, /*power=*/2).At(2), 0.0025);
  EXPECT_EQ(WarmUp(decay, 0, 0.01).At(0), 0.01);
  EXPECT_EQ(CodeOf([&] { rate.Config(); }), Code::kUnimplemented);
  EXPECT_EQ(CodeOf([] { WarmUp(nullptr, 2, 0.01); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { WarmUp(decay, -1, 0.01); }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
