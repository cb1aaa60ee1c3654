#include "conformance/runner/deviations/case_record.h"

#include <gtest/gtest.h>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

Json InsteadOf(Answer answer) {
  const Case conformance_case = OneIsOne("a/b/c");
  return ActualOutcome(ResultOf(conformance_case, std::move(answer)));
}

TEST(InsteadTest, HasUnexpectedObservations) {
  EXPECT_EQ(InsteadOf(Observe({2, 3})),
            Json({{"observations", {{"x", {2, 3}}}}}));
  EXPECT_EQ(InsteadOf(Observations{}),
            Json({{"observations", {{"x", nullptr}}}}));
}

TEST(InsteadTest, OmitsExpectedObservations) {
  Case two = OneIsOne("a/b/c");
  two.expect.push_back(two.expect[0]);
  two.expect[1].observation = "y";
  const Answer answer = Observations{{{"x", 1}, {"y", 2}}};
  EXPECT_EQ(ActualOutcome(ResultOf(two, answer)),
            Json({{"observations", {{"y", 2}}}}));
}

TEST(InsteadTest, OmitsInformationalObservations) {
  Case two = OneIsOne("a/b/c");
  two.expect.push_back(two.expect[0]);
  two.expect[1].observation = "y";
  two.expect[1].level = Level::kObserved;
  const Answer answer = Observations{{{"x", 2}, {"y", 2}}};
  EXPECT_EQ(ActualOutcome(ResultOf(two, answer)),
            Json({{"observations", {{"x", 2}}}}));
}

TEST(InsteadTest, OmitsMessages) {
  EXPECT_EQ(
      InsteadOf(Failure{"InvalidArgument", "at 0x7f", "data.x"}),
      Json({{"error", {{"class", "InvalidArgument"}, {"at_step", "data.x"}}}}));
  EXPECT_EQ(InsteadOf(Unsupported{"data.x", "none"}),
            Json({{"unsupported", {{"step", "data.x"}}}}));
  EXPECT_EQ(InsteadOf(TimedOut{std::chrono::seconds(1), "..."}),
            Json({{"timed_out", true}}));
  EXPECT_EQ(InsteadOf(Crashed{"SIGSEGV", "..."}),
            Json({{"crashed", "SIGSEGV"}}));
  EXPECT_EQ(InsteadOf(ProtocolError{"garbage", ""}),
            Json({{"protocol_error", true}}));
}

TEST(InsteadTest, SuccessInsteadOfErrorHasAllObservations) {
  Case expects_error = OneIsOne("a/b/c");
  expects_error.expect[0].relation = Relation::kError;
  expects_error.expect[0].value = "OutOfRange";
  EXPECT_EQ(ActualOutcome(ResultOf(expects_error, Observe(5))),
            Json({{"observations", {{"x", 5}}}}));
}

TEST(InsteadTest, SeparatesReplicaCounts) {
  Case counts = OneIsOne("a/b/c");
  counts.given = {{"strategy", "mirrored"}, {"replicas", {1, 2, 3}}};
  MiniatureTestee testee([](const Request& request) {
    return Observe(request.given["replicas"]);
  });
  EXPECT_EQ(ActualOutcome(RunCase(counts, testee, {})),
            Json::parse(R"({"replicas": {"2": {"observations": {"x": 2}},
                                         "3": {"observations": {"x": 3}}}})"));
}

TEST(InsteadTest, SameAsHasBothValues) {
  Case same = OneIsOne("a/b/c");
  same.given = {{"strategy", "mirrored"}, {"replicas", 2}};
  same.expect[0].relation = Relation::kSameAs;
  same.expect[0].other_observation = "x";
  same.expect[0].other_given = {{"replicas", 1}};
  MiniatureTestee testee([](const Request& request) {
    return Observe(request.given["replicas"]);
  });
  EXPECT_EQ(ActualOutcome(RunCase(same, testee, {})),
            Json::parse(R"({"observations": {"x": 2},
                            "compared_with": {"x": 1}})"));
}

// Of x on two replicas and on one, the latter 8 or, with its input moved, 9.
CaseResult RoundedResult(const Case& conformance_case, double on_two) {
  MiniatureTestee testee([&](const Request& request) {
    const bool moved = request.program[0]["value"] != 1;
    return Observe(request.given["replicas"] == 2 ? on_two : moved ? 9 : 8);
  });
  return RunCase(conformance_case, testee, {});
}

TEST(ListedTest, AllowsEstimatedRounding) {
  Case rounded = OneIsOne("a/b/c");
  rounded.given = {{"strategy", "mirrored"}, {"replicas", 2}};
  rounded.program[0]["value"] = 1;
  rounded.inputs = {{"data.x", "value"}};
  rounded.expect[0].relation = Relation::kSameAs;
  rounded.expect[0].other_observation = "x";
  rounded.expect[0].other_given = {{"replicas", 1}};
  rounded.expect[0].to_rounding = true;
  const Json recorded = ActualOutcome(RoundedResult(rounded, 20));
  EXPECT_EQ(recorded, Json::parse(R"({"observations": {"x": 20.0},
                                    "compared_with": {"x": 8}})"));
  EXPECT_FALSE(DiffRecorded(recorded, RoundedResult(rounded, 28)));
  EXPECT_EQ(DiffRecorded(recorded, RoundedResult(rounded, 29)),
            "at .observations.x: expected 20.0, observed 29.0, which is off "
            "by 9 where rounding explains 8");
  Json other = recorded;
  other["compared_with"]["x"] = 15.5;
  EXPECT_FALSE(DiffRecorded(other, RoundedResult(rounded, 20)));
  other["compared_with"]["x"] = 17;
  EXPECT_TRUE(DiffRecorded(other, RoundedResult(rounded, 20)));
}

TEST(ListedTest, AllowsToleranceOfTheReplicaCount) {
  Case close = OneIsOne("a/b/c");
  close.given = {{"strategy", "mirrored"}, {"replicas", {1, 2}}};
  close.expect[0].relation = Relation::kClose;
  close.expect[0].atol = 0.5;
  close.expect[0].rtol = 0.25;
  const auto result_of = [&](double x) { return ResultOf(close, Observe(x)); };
  const Json recorded = ActualOutcome(result_of(4));
  EXPECT_TRUE(recorded.contains("replicas"));
  EXPECT_FALSE(DiffRecorded(recorded, result_of(5.5)));
  EXPECT_TRUE(DiffRecorded(recorded, result_of(6.5)));
}

TEST(ListedTest, SameAsAllowsRoundingUnits) {
  Case same = OneIsOne("a/b/c");
  same.expect[0].relation = Relation::kSameAs;
  same.expect[0].other_observation = "y";
  const auto result_of = [&](double x) {
    return ResultOf(same, Observations{{{"x", {4.0, x}}, {"y", {0, 0}}}});
  };
  const Json recorded = ActualOutcome(result_of(0.5));
  EXPECT_FALSE(DiffRecorded(recorded, result_of(0.5 + 3e-6)));
  EXPECT_TRUE(DiffRecorded(recorded, result_of(0.5 + 4e-6)));  // 8 units of 4
}

TEST(ListedTest, SameAsAllowsItsTolerance) {
  Case same = OneIsOne("a/b/c");
  same.expect[0].relation = Relation::kSameAs;
  same.expect[0].other_observation = "y";
  same.expect[0].atol = 0.5;
  const auto result_of = [&](double x) {
    return ResultOf(same, Observations{{{"x", x}, {"y", 0}}});
  };
  const Json recorded = ActualOutcome(result_of(4));
  EXPECT_FALSE(DiffRecorded(recorded, result_of(4.5)));
  EXPECT_TRUE(DiffRecorded(recorded, result_of(4.75)));
}

TEST(ListedTest, ToleranceIsPerEntry) {
  Case close = OneIsOne("a/b/c");
  close.expect[0].relation = Relation::kClose;
  close.expect[0].rtol = 0.25;
  const auto result_of = [&](double kernel, double bias) {
    return ResultOf(close, Observe({{"kernel", {kernel}}, {"bias", bias}}));
  };
  const Json recorded = ActualOutcome(result_of(64, 4));
  EXPECT_FALSE(DiffRecorded(recorded, result_of(72, 5)));
  EXPECT_TRUE(DiffRecorded(recorded, result_of(72, 6)));
}

TEST(ListedTest, EqualsAllowsNoDifference) {
  const Json recorded = InsteadOf(Observe(2.5));
  EXPECT_FALSE(
      DiffRecorded(recorded, ResultOf(OneIsOne("a/b/c"), Observe(2.5))));
  EXPECT_TRUE(
      DiffRecorded(recorded, ResultOf(OneIsOne("a/b/c"), Observe(2.5 + 1e-7))));
}

const Case& TheCase() {
  static const Case* const conformance_case = new Case(OneIsOne("a/b/c"));
  return *conformance_case;
}

CaseRecord Repeated(const std::vector<Answer>& answers) {
  CaseRecord record(ResultOf(TheCase(), answers[0]));
  for (size_t i = 1; i < answers.size(); ++i) {
    record.Add(ResultOf(TheCase(), answers[i]));
  }
  return record;
}

TEST(CaseRecordTest, EqualRepetitionsAgree) {
  const CaseRecord record = Repeated({Observe(1), Observe(1), Observe(1)});
  EXPECT_EQ(record.flicker(), "");
  EXPECT_EQ(record.result().verdict, Verdict::kPassed);
  EXPECT_EQ(record.id(), "a/b/c");
}

TEST(CaseRecordTest, NamesRepetitionThatDiffers) {
  EXPECT_EQ(
      Repeated({Observe(1), Observe(1), Observe(2), Observe(3)}).flicker(),
      "repetition 3 differs from the first: at .verdict: expected \"passed\", "
      "observed \"failed\"");
  EXPECT_EQ(Repeated({Observe(2), Observe(3)}).flicker(),
            "repetition 2 differs from the first: at "
            ".instead.observations.x: expected 2, observed 3");
}

// It is for people: no list holds it, and no repetition differs by it.
TEST(CaseRecordTest, IgnoresFirstDifference) {
  CaseResult result = ResultOf(TheCase(), Observe(2));
  const Json instead = ActualOutcome(result);
  CaseRecord record(result);
  result.runs[0].findings[0].first_difference = "training step 1 of 1";
  EXPECT_EQ(ActualOutcome(result), instead);
  record.Add(result);
  EXPECT_EQ(record.flicker(), "");
}

TEST(CaseRecordTest, ComparesInformationalExpectations) {
  Case informational = OneIsOne("a/b/c");
  informational.expect[0].level = Level::kObserved;
  CaseRecord record(ResultOf(informational, Observe(1)));
  record.Add(ResultOf(informational, Observe(2)));
  EXPECT_EQ(record.result().verdict, Verdict::kInformational);
  EXPECT_NE(record.flicker(), "");
}

TEST(CaseRecordTest, UndeterminedValuesMayDiffer) {
  Case random = OneIsOne("a/b/c");
  random.expect[0].relation = Relation::kSameOnAllReplicas;
  random.expect[0].value = true;
  random.given["replicas"] = 2;
  CaseRecord record(ResultOf(random, Observe({7, 7})));
  record.Add(ResultOf(random, Observe({8, 8})));
  EXPECT_EQ(record.flicker(), "");
  record.Add(ResultOf(random, Observe({8, 9})));
  EXPECT_NE(record.flicker(), "");
}

TEST(CaseRecordTest, KeepsWorstResult) {
  const CaseRecord record =
      Repeated({Observe(1), Crashed{"SIGBUS", ""}, Observe(2)});
  EXPECT_EQ(record.result().verdict, Verdict::kCrashed);
}

TEST(CaseRecordTest, MessagesMayDiffer) {
  EXPECT_EQ(Repeated({Failure{"Internal", "at 0x1", "data.x"},
                      Failure{"Internal", "at 0x2", "data.x"}})
                .flicker(),
            "");
  EXPECT_EQ(Repeated({Crashed{"SIGBUS", "pid 1"}, Crashed{"SIGBUS", "pid 2"}})
                .flicker(),
            "");
  EXPECT_NE(Repeated({Failure{"Internal", "at 0x1", "data.x"},
                      Failure{"NotFound", "at 0x1", "data.x"}})
                .flicker(),
            "");
}

}  // namespace
}  // namespace lockstep
