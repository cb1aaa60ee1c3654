#include "reference/data/transformations/parallelism.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/data/dataset_options.h"

namespace lockstep::data_internal {
namespace {

// Takes elements that each make the program wait for a part of `each`.
class Program {
 public:
  explicit Program(CallTuner& tuner) : tuner_(tuner) {}

  void Take(int elements, double each, double waited_part) {
    using Seconds = std::chrono::duration<double>;
    const auto step =
        std::chrono::duration_cast<CallTuner::Clock::duration>(Seconds(each));
    for (int i = 0; i < elements; ++i) {
      now_ += step;
      tuner_.Took(std::chrono::duration_cast<CallTuner::Clock::duration>(
                      Seconds(each * waited_part)),
                  now_);
    }
  }

 private:
  CallTuner& tuner_;
  CallTuner::Clock::time_point now_{};
};

TEST(CallTunerTest, DoublesWhileElementsArriveFaster) {
  CallTuner tuner(2, 16);
  Program program(tuner);
  program.Take(17, 0.010, 1);  // the first starts the clock
  EXPECT_EQ(tuner.calls(), 4);
  program.Take(16, 0.005, 1);
  EXPECT_EQ(tuner.calls(), 8);
  program.Take(32, 0.0025, 1);
  EXPECT_EQ(tuner.calls(), 16);
  program.Take(1000, 0.00125, 1);
  EXPECT_EQ(tuner.calls(), 16);
}

TEST(CallTunerTest, UndoesADoublingThatDoesNotHelp) {
  CallTuner tuner(2, 64);
  Program program(tuner);
  program.Take(17, 0.010, 1);
  EXPECT_EQ(tuner.calls(), 4);
  program.Take(16, 0.010, 1);
  EXPECT_EQ(tuner.calls(), 2);
  program.Take(10 * 16, 0.010, 1);
  EXPECT_EQ(tuner.calls(), 2);
  program.Take(16, 0.010, 1);  // tried again
  EXPECT_EQ(tuner.calls(), 4);
}

TEST(CallTunerTest, ManyFastElementsAreOneRound) {
  CallTuner tuner(2, 64);
  Program program(tuner);
  program.Take(400, 0.0001, 1);
  EXPECT_EQ(tuner.calls(), 2);
  program.Take(110, 0.0001, 1);
  EXPECT_EQ(tuner.calls(), 4);
}

TEST(CallTunerTest, StaysIfTheProgramIsSlower) {
  CallTuner tuner(2, 64);
  Program program(tuner);
  program.Take(1000, 0.010, 0.05);
  EXPECT_EQ(tuner.calls(), 2);
}

constexpr std::chrono::microseconds kShort(9);
constexpr std::chrono::microseconds kLong(10);

TEST(LightGaugeTest, AFewSlowElementsDoNotCount) {
  LightGauge gauge;
  for (int i = 0; i < 63; ++i) gauge.Took(i < 8 ? kLong : kShort);
  EXPECT_FALSE(gauge.light());
  EXPECT_FALSE(gauge.heavy());
  gauge.Took(kShort);
  EXPECT_TRUE(gauge.light());
}

TEST(LightGaugeTest, MoreSlowElementsCountAtOnce) {
  LightGauge gauge;
  for (int i = 0; i < 64; ++i) gauge.Took(kShort);
  for (int i = 0; i < 8; ++i) gauge.Took(kLong);
  EXPECT_TRUE(gauge.light());
  gauge.Took(kLong);
  EXPECT_TRUE(gauge.heavy());
  for (int i = 0; i < 64; ++i) gauge.Took(kShort);
  EXPECT_TRUE(gauge.light());
}

TEST(CallLimitTest, IsBounded) {
  EXPECT_EQ(CallLimit(3, INT64_MAX).calls(), 3);
  EXPECT_EQ(CallLimit(INT64_MAX, INT64_MAX).calls(), kMostParallelCalls);
  EXPECT_EQ(CallLimit(3, 2).calls(), 2);
  EXPECT_EQ(CallLimit(kAutotune, 1).calls(), 1);
  EXPECT_GE(CallLimit(kAutotune, INT64_MAX).calls(), 1);
}

TEST(CheckParallelCallsTest, RefusesNegativeNumbers) {
  CheckParallelCalls("Map", 0);
  CheckParallelCalls("Map", kAutotune);
  ExpectError([] { CheckParallelCalls("Map", -5); }, Code::kInvalidArgument,
              "[Map] num_parallel_calls must be kAutotune or not negative, got "
              "-5");
}

}  // namespace
}  // namespace lockstep::data_internal
