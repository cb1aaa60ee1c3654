#include "reference/parameter_server/server/stored_values.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::parameter_server {
namespace {

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}
Tensor Rows(const std::vector<int64_t>& rows) {
  return Tensor::FromVector(rows);
}

constexpr uint64_t kW = 1;  // [4, 5]
constexpr uint64_t kTable = 2;
constexpr uint64_t kCounter = 3;
constexpr uint64_t kVelocity = 4;  // of w

class StoredValuesTest : public testing::Test {
 protected:
  StoredValuesTest() {
    values_.Create(kW, "w", Floats({4, 5}));
    values_.Create(kTable, "table",
                   Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2}));
    values_.Create(kCounter, "counter", Tensor::Scalar<int64_t>(0));
    values_.Create(kVelocity, "velocity", Floats({0, 0}));
  }

  std::vector<float> Now(uint64_t variable) {
    const Tensor all;
    return values_.Read({&variable, 1}, {&all, 1})[0].value.ToVector<float>();
  }
  uint64_t ChangesOf(uint64_t variable) {
    const Tensor all;
    return values_.Read({&variable, 1}, {&all, 1})[0].changes;
  }
  // Adds to w in a closure; the value afterwards.
  std::vector<float> Add(uint64_t closure, uint64_t ordinal,
                         const Tensor& delta) {
    return values_
        .Apply({.closure = closure,
                .changes = {{.variable = kW,
                             .ordinal = ordinal,
                             .kind = Change::ADD,
                             .value = delta,
                             .wants_value = true}}})
        .values[0]
        .ToVector<float>();
  }

  StoredValues values_;
};

using Values = std::vector<float>;

TEST_F(StoredValuesTest, ChangesValues) {
  values_.Apply(
      {.changes = {
           {.variable = kW, .kind = Change::ADD, .value = Floats({1, 2})}}});
  EXPECT_EQ(Now(kW), (Values{5, 7}));
  values_.Apply({.changes = {{.variable = kW,
                              .kind = Change::SUBTRACT,
                              .value = Floats({5, 5})}}});
  EXPECT_EQ(Now(kW), (Values{0, 2}));
  values_.Apply({.changes = {{.variable = kW, .value = Floats({8, 9})}}});
  EXPECT_EQ(Now(kW), (Values{8, 9}));
  EXPECT_EQ(ChangesOf(kW), 3);
}

TEST_F(StoredValuesTest, ReadsRows) {
  const uint64_t table = kTable;
  const Tensor rows = Rows({2, 0, 2});
  EXPECT_EQ(values_.Read({&table, 1}, {&rows, 1})[0].value.ToVector<float>(),
            (Values{5, 6, 1, 2, 5, 6}));
}

// A value that was read does not change.
TEST_F(StoredValuesTest, ReadersKeepWhatTheyRead) {
  const uint64_t w = kW;
  const Tensor all;
  const Tensor before = values_.Read({&w, 1}, {&all, 1})[0].value;
  Add(0, 0, Floats({1, 1}));
  EXPECT_EQ(before.ToVector<float>(), (Values{4, 5}));
}

TEST_F(StoredValuesTest, AddsRepeatedRowsAndAssignsTheLast) {
  const auto scatter = [&](Change::Kind kind) {
    values_.Apply({.changes = {{.variable = kTable,
                                .kind = kind,
                                .value = Tensor::FromVector<float>(
                                    {1, 1, 10, 20, 2, 3}, Shape{3, 2}),
                                .rows = Rows({2, 0, 2})}}});
  };
  scatter(Change::ADD);
  EXPECT_EQ(Now(kTable), (Values{11, 22, 3, 4, 8, 10}));
  scatter(Change::SUBTRACT);
  EXPECT_EQ(Now(kTable), (Values{1, 2, 3, 4, 5, 6}));
  scatter(Change::ASSIGN);
  EXPECT_EQ(Now(kTable), (Values{10, 20, 3, 4, 2, 3}));
}

TEST_F(StoredValuesTest, AddsRowsOfIntegers) {
  values_.Create(9, "counts", Tensor::FromVector<int64_t>({1, 2}));
  values_.Apply({.changes = {{.variable = 9,
                              .kind = Change::ADD,
                              .value = Tensor::FromVector<int64_t>({5, 6}),
                              .rows = Rows({1, 1})}}});
  const uint64_t counts = 9;
  const Tensor all;
  EXPECT_EQ(values_.Read({&counts, 1}, {&all, 1})[0].value.ToVector<int64_t>(),
            (std::vector<int64_t>{1, 13}));
}

TEST_F(StoredValuesTest, AppliesARepeatOnce) {
  EXPECT_EQ(Add(17, 0, Floats({1, 1})), (Values{5, 6}));
  EXPECT_EQ(Add(18, 0, Floats({1, 1})), (Values{6, 7}));
  // The worker of closure 17 is lost; another one runs it again.
  EXPECT_EQ(Add(17, 0, Floats({1, 1})), (Values{5, 6}));
  EXPECT_EQ(Now(kW), (Values{6, 7}));
  EXPECT_EQ(Add(17, 1, Floats({1, 1})), (Values{7, 8}));
  EXPECT_EQ(ChangesOf(kW), 3);
}

TEST_F(StoredValuesTest, UpdatesOutsideOfClosuresAreNeverRepeats) {
  Add(0, 0, Floats({1, 1}));
  Add(0, 0, Floats({1, 1}));
  EXPECT_EQ(Now(kW), (Values{6, 7}));
  EXPECT_EQ(values_.num_replies(), 0);
}

TEST_F(StoredValuesTest, ForgetsAndRefusesFinishedClosures) {
  Add(17, 0, Floats({1, 1}));
  Add(18, 0, Floats({1, 1}));
  EXPECT_EQ(values_.num_replies(), 2);
  values_.Finish(18);
  EXPECT_EQ(values_.num_replies(), 1);
  ExpectError(
      [&] {
        Add(17, 1, Floats({1, 1}));
      },
      Code::kFailedPrecondition, "closure 17 is finished: all below 18 are");
  EXPECT_EQ(Add(18, 0, Floats({1, 1})), (Values{6, 7}));
  values_.Finish(5);  // no step back
  EXPECT_EQ(CodeOf([&] {
              Add(17, 1, Floats({1, 1}));
            }),
            Code::kFailedPrecondition);
  EXPECT_EQ(Now(kW), (Values{6, 7}));
}

TEST_F(StoredValuesTest, AppliesAllChangesOrNone) {
  const auto both = [&](const Tensor& second) {
    values_.Apply(
        {.closure = 1,
         .changes = {
             {.variable = kW, .kind = Change::ADD, .value = Floats({1, 1})},
             {.variable = kVelocity, .kind = Change::ADD, .value = second}}});
  };
  ExpectError(
      [&] {
        both(Floats({1, 2, 3}));
      },
      Code::kInvalidArgument,
      "variable 'velocity' takes float32 (2), got float32 (3)");
  EXPECT_EQ(Now(kW), (Values{4, 5}));
  EXPECT_EQ(values_.num_replies(), 0);
  both(Floats({1, 2}));
  EXPECT_EQ(Now(kW), (Values{5, 6}));
}

TEST_F(StoredValuesTest, ComparesAndChanges) {
  const auto try_to = [&](uint64_t after, float value) {
    return values_
        .Apply({.changes = {{.variable = kW,
                             .value = Floats({value, value}),
                             .only_after = after}}})
        .applied;
  };
  EXPECT_TRUE(try_to(0, 1));
  EXPECT_FALSE(try_to(0, 2));
  EXPECT_TRUE(try_to(1, 3));
  EXPECT_EQ(Now(kW), (Values{3, 3}));
}

ValueStep SgdStep(const Tensor& gradient, double momentum = 0) {
  return {.rule = {"SGD", {{"momentum", momentum}, {"nesterov", false}}},
          .learning_rate = Tensor::Scalar(0.5),
          .items = {{.variable = kW, .gradient = gradient}}};
}

ValueUpdate CountedStep(uint64_t closure, ValueStep step) {
  step.counter_change = 0;
  return {.closure = closure,
          .changes = {{.variable = kCounter,
                       .kind = Change::ADD,
                       .value = Tensor::Scalar<int64_t>(1),
                       .wants_value = true}},
          .step = step};
}

TEST_F(StoredValuesTest, AppliesARuleOnce) {
  const ValueUpdate update = CountedStep(5, SgdStep(Floats({2, 4})));
  EXPECT_EQ(values_.Apply(update).values[0].item<int64_t>(), 1);
  EXPECT_EQ(Now(kW), (Values{3, 3}));
  EXPECT_EQ(values_.Apply(update).values[0].item<int64_t>(), 1);
  EXPECT_EQ(Now(kW), (Values{3, 3}));
}

TEST_F(StoredValuesTest, KeepsSlotsOfARule) {
  ValueStep step = SgdStep(Floats({2, 4}), 0.5);
  step.items[0].slots = {kVelocity};
  values_.Apply({.step = step});
  EXPECT_EQ(Now(kVelocity), (Values{-1, -2}));
  EXPECT_EQ(Now(kW), (Values{3, 3}));
  values_.Apply({.step = step});
  // velocity = -1 * 0.5 - 1, -2 * 0.5 - 2
  EXPECT_EQ(Now(kVelocity), (Values{-1.5, -3}));
  EXPECT_EQ(Now(kW), (Values{1.5, 0}));
}

TEST_F(StoredValuesTest, AppliesARuleToRows) {
  ValueStep step = SgdStep(Tensor::FromVector<float>({2, 2}, Shape{1, 2}));
  step.items[0].variable = kTable;
  step.items[0].rows = Rows({1});
  values_.Apply({.step = step});
  EXPECT_EQ(Now(kTable), (Values{1, 2, 2, 3, 5, 6}));
}

TEST_F(StoredValuesTest, AStepThatIsNotTakenChangesNothing) {
  ValueStep step = SgdStep(Floats({2, 4}));
  step.taken = Tensor::Scalar(false);
  values_.Apply({.step = step});
  EXPECT_EQ(Now(kW), (Values{4, 5}));
}

// Adam's bias correction depends on the number of steps before.
TEST_F(StoredValuesTest, CountsStepsFromTheCounter) {
  values_.Create(6, "m", Floats({0, 0}));
  values_.Create(7, "v", Floats({0, 0}));
  ValueStep step{
      .rule = {"Adam", {{"epsilon", 0.0}}},
      .learning_rate = Tensor::Scalar(1.0),
      .items = {
          {.variable = kW, .slots = {6, 7}, .gradient = Floats({3, -3})}}};
  // With a constant gradient each step is the rate times its sign.
  values_.Apply(CountedStep(1, step));
  values_.Apply(CountedStep(2, step));
  EXPECT_NEAR(Now(kW)[0], 2, 1e-5);
  EXPECT_NEAR(Now(kW)[1], 7, 1e-5);
}

void ExpectRefused(StoredValues& values, const ValueUpdate& update,
                   const std::string& words,
                   Code code = Code::kInvalidArgument) {
  ExpectError([&] { values.Apply(update); }, code, words);
}

TEST_F(StoredValuesTest, RefusesChangesThatDoNotFit) {
  ExpectRefused(values_, {.changes = {{.variable = 99, .value = Floats({1})}}},
                "there is no variable 99 among 4", Code::kNotFound);
  ExpectRefused(values_, {.changes = {{.variable = kW, .value = Tensor()}}},
                "got nothing");
  ExpectRefused(values_,
                {.changes = {{.variable = kW,
                              .value = Tensor::FromVector<double>({1, 2})}}},
                "takes float32 (2), got float64 (2)");
  const auto rows = [](const Tensor& value, const Tensor& rows) {
    return ValueUpdate{.changes = {{.variable = kTable,
                                    .kind = Change::ADD,
                                    .value = value,
                                    .rows = rows}}};
  };
  const Tensor row = Tensor::Zeros(Shape{1, 2});
  ExpectRefused(values_, rows(row, Rows({3})), "has 3 rows, got row 3");
  ExpectRefused(values_, rows(row, Rows({-1})), "got row -1");
  ExpectRefused(values_, rows(row, Rows({0, 1})), "takes float32 (2, 2)");
  ExpectRefused(values_, rows(row, Tensor::FromVector<int32_t>({0})),
                "do not fit 'table'");
  values_.Create(9, "flag", Tensor::Scalar(true));
  ExpectRefused(values_,
                {.changes = {{.variable = 9,
                              .kind = Change::ADD,
                              .value = Tensor::Scalar(true)}}},
                "bool, which cannot be added");
  EXPECT_EQ(Now(kTable), (Values{1, 2, 3, 4, 5, 6}));
}

TEST_F(StoredValuesTest, RefusesStepsThatDoNotFit) {
  const auto refuse = [&](const ValueStep& step, const std::string& words,
                          Code code = Code::kInvalidArgument) {
    ExpectRefused(values_, {.step = step}, words, code);
  };
  ValueStep step = SgdStep(Floats({1, 2}));
  step.rule.class_name = "Mine";
  refuse(step, "the rule of 'Mine' is not known here", Code::kUnimplemented);
  step = SgdStep(Floats({1, 2}), /*momentum=*/7);
  refuse(step, "momentum must be in [0, 1], got 7");
  step = SgdStep(Floats({1, 2}));
  step.rule.settings[0].second = std::string("x");
  refuse(step, "setting 'momentum' of SGD has another type");
  step = SgdStep(Floats({1, 2}));
  step.learning_rate = Tensor::Scalar(0.5f);
  refuse(step, "learning_rate must be a float64 scalar, got float32 ()");
  step = SgdStep(Floats({1, 2}));
  step.taken = Tensor::Scalar(1.0);
  refuse(step, "taken must be a bool scalar");
  step = SgdStep(Floats({1, 2, 3}));
  refuse(step, "takes float32 (2)");
  step = SgdStep(Floats({1, 2}), 0.5);
  refuse(step, "Sgd has 1 slots, got 0");
  step.items[0].slots = {kW};
  refuse(step, "variable 'w' is used twice");
  step.items[0].slots = {kTable};
  refuse(step, "takes");
  step = SgdStep(Floats({1, 2}));
  step.items.push_back(step.items[0]);
  refuse(step, "variable 'w' is used twice");
  step = SgdStep(Tensor::Zeros(Shape{2, 2}));
  step.items[0].variable = kTable;
  step.items[0].rows = Rows({1, 1});
  refuse(step, "the rows of 'table' must ascend");
  step = SgdStep(Floats({1, 2}));
  step.counter_change = 0;
  refuse(step, "change 0 of 0 cannot count the step");
  EXPECT_EQ(Now(kW), (Values{4, 5}));
}

TEST_F(StoredValuesTest, RefusesASecondVariableOfANumber) {
  ExpectError([&] { values_.Create(kW, "again", Floats({1})); },
              Code::kFailedPrecondition,
              "there is a variable 1 before 'again'");
  ExpectError([&] { values_.Create(50, "none", Tensor()); },
              Code::kInvalidArgument, "'none' has no value");
}

// Threads that change the same variables in opposite orders neither lose an
// update nor wait for each other.
TEST_F(StoredValuesTest, ThreadsChangeTogether) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        ValueUpdate update{
            .changes = {
                {.variable = kW, .kind = Change::ADD, .value = Floats({1, 1})},
                {.variable = kVelocity,
                 .kind = Change::ADD,
                 .value = Floats({1, 1})}}};
        if (t % 2) std::swap(update.changes[0], update.changes[1]);
        values_.Apply(update);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Now(kW), (Values{804, 805}));
  EXPECT_EQ(Now(kVelocity), (Values{800, 800}));
}

}  // namespace
}  // namespace lockstep::parameter_server
