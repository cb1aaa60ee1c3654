// Comparisons with another run, and how often that runs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/runner/verdicts/run_case_testing.h"

namespace lockstep {
namespace {

TEST(ComparedRunsTest, SameAsRunsAgainWithOtherGiven) {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  const Case conformance_case = MakeCase({as_one}, 4);
  MiniatureTestee same(Says(7));
  EXPECT_EQ(RunCase(conformance_case, same, {}).verdict, Verdict::kPassed);
  ASSERT_EQ(same.requests.size(), 2u);
  EXPECT_EQ(same.requests[0].given["replicas"], 4);
  EXPECT_EQ(same.requests[1].given["replicas"], 1);
  EXPECT_EQ(same.requests[1].given["strategy"], "mirrored");
  const auto by_replicas = [](const Request& request) {
    return Observations{{{"x", request.given["replicas"]}}};
  };
  EXPECT_EQ(VerdictFor(conformance_case, by_replicas), Verdict::kFailed);
}

TEST(ComparedRunsTest, SameAsRunsAgainWithOtherParameters) {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}, {"parameters", {{"batch", 8}}}};
  Case conformance_case = MakeCase({as_one}, 2);
  conformance_case.given["parameters"] = {{"batch", 4}};
  conformance_case.program[0]["size"] = {{"parameter", "batch"}};
  MiniatureTestee testee(Says(7));
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_EQ(result.runs[0].given, conformance_case.given);
  ASSERT_EQ(testee.requests.size(), 2u);
  EXPECT_EQ(testee.requests[0].program[0]["size"], 4);
  EXPECT_EQ(testee.requests[1].program[0]["size"], 8);
  EXPECT_FALSE(testee.requests[0].given.contains("parameters"));
  EXPECT_EQ(testee.requests[1].given["replicas"], 1);
}

// Of the input 1, the same on two replicas as on one to rounding.
Case RoundedCase() {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  as_one.to_rounding = true;
  Case conformance_case = MakeCase({as_one}, 2);
  conformance_case.program[0]["value"] = 1;
  conformance_case.inputs = {{"data.x", "value"}};
  return conformance_case;
}

// 1000 times how far its input is from 0.999, on two replicas with an error.
MiniatureTestee::Behaviour OffBy(double error) {
  return [error](const Request& request) {
    const double input = request.program[0]["value"];
    const double more = request.given["replicas"] == 2 ? error : 0;
    return Observations{{{"x", 1000 * input - 999 + more}}};
  };
}

TEST(ComparedRunsTest, AllowsEffectOfMovedInputs) {
  const Case conformance_case = RoundedCase();
  const double explained = 8 * 1000 * 0x1p-23;
  MiniatureTestee testee(OffBy(0.9 * explained));
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_NEAR(result.runs[0].findings[0].rounding[""].get<double>(), explained,
              1e-9);
  EXPECT_EQ(testee.requests.size(), 3u);  // run, compared, perturbed once
  EXPECT_EQ(result.runs[0].programs.size(), 3u);
}

TEST(ComparedRunsTest, StopsAfterAllTrials) {
  MiniatureTestee testee(OffBy(1.1 * 8 * 1000 * 0x1p-23));
  EXPECT_EQ(RunCase(RoundedCase(), testee, {}).verdict, Verdict::kFailed);
  // Asked, compared, moved up and down: the third of the moves goes up again.
  EXPECT_EQ(testee.requests.size(), 4u);
}

TEST(ComparedRunsTest, RoundingUnitNeedsNoTrial) {
  MiniatureTestee testee(OffBy(8 * 0x1p-23));
  const CaseResult result = RunCase(RoundedCase(), testee, {});
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_EQ(testee.requests.size(), 2u);
  EXPECT_EQ(result.runs[0].findings[0].rounding, Json({{"", 8 * 0x1p-23}}));
}

TEST(ComparedRunsTest, ErrorWithMovedInputsFails) {
  const auto wants_ones = [](const Request& request) -> Answer {
    if (request.program[0]["value"] != 1) return Failure{"Internal", "", ""};
    return Observations{{{"x", request.given["replicas"]}}};
  };
  EXPECT_EQ(VerdictFor(RoundedCase(), wants_ones), Verdict::kFailed);
}

TEST(ComparedRunsTest, RunsEachComparisonOnce) {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  Expectation as_three = as_one;
  as_three.other_given = {{"replicas", 3}};
  MiniatureTestee testee(Says(7));
  const Case conformance_case = MakeCase({as_one, as_three, as_one}, {2, 4});
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  ASSERT_EQ(testee.requests.size(), 4u);  // on 2, 1, 3 and 4 replicas
  EXPECT_EQ(testee.requests[3].given["replicas"], 4);
  // What comes to light of a run spoils all that it was compared with.
  std::vector<std::string> tokens;
  for (const ProgramRun& program : result.runs[1].programs) {
    tokens.push_back(program.token);
  }
  EXPECT_EQ(tokens, (std::vector<std::string>{
                        testee.requests[3].token, testee.requests[1].token,
                        testee.requests[2].token, testee.requests[1].token}));
}

TEST(ComparedRunsTest, SameAsNeedsAnObservation) {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  const auto fails_on_one = [](const Request& request) -> Answer {
    if (request.given["replicas"] == 1) return Failure{"Internal", "", ""};
    return Observations{{{"x", 1}}};
  };
  EXPECT_EQ(VerdictFor(MakeCase({as_one}), fails_on_one), Verdict::kFailed);
}

TEST(ComparedRunsTest, CrashOfTheOtherRunCounts) {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  const auto dies_on_one = [](const Request& request) -> Answer {
    if (request.given["replicas"] == 1) return Crashed{"SIGSEGV", ""};
    return Observations{{{"x", 1}}};
  };
  EXPECT_EQ(VerdictFor(MakeCase({as_one}), dies_on_one), Verdict::kCrashed);
}

}  // namespace
}  // namespace lockstep
