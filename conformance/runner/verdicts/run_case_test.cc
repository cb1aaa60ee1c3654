#include "conformance/runner/verdicts/run_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "conformance/runner/cases/case_testing.h"
#include "conformance/runner/miniature_testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using testing::ElementsAre;

Expectation Expect(Relation relation, Json value, Level level) {
  Expectation expectation;
  expectation.relation = relation;
  expectation.value = std::move(value);
  if (relation == Relation::kError) {
    expectation.at_steps = {"data.x"};
  } else {
    expectation.observation = "x";
  }
  expectation.other_observation = "x";
  expectation.level = level;
  return expectation;
}

Case MakeCase(std::vector<Expectation> expect, Json replicas = 2) {
  return {.id = "input/numbers/count",
          .topic = "Numbers",
          .level = Level::kRequired,
          .states = "Numbers count.",
          .cites = {{"guide", "split"}},
          .given = {{"strategy", "mirrored"}, {"replicas", replicas}},
          .program = Json::parse(R"([{"observe": "x", "step": "data.x"}])"),
          .expect = std::move(expect)};
}

Case EqualsCase(Json value, Level level = Level::kRequired) {
  return MakeCase({Expect(Relation::kEquals, std::move(value), level)});
}

MiniatureTestee::Behaviour Says(Json x) {
  return [x](const Request&) { return Observations{{{"x", x}}}; };
}
MiniatureTestee::Behaviour FailsWith(const char* error_class) {
  return [=](const Request&) {
    return Failure{error_class, "[X] got 1, wanted 2", "data.x"};
  };
}

Verdict VerdictFor(const Case& conformance_case,
                   MiniatureTestee::Behaviour behaviour) {
  MiniatureTestee testee(std::move(behaviour));
  return RunCase(conformance_case, testee, {}).verdict;
}

TEST(RunCaseTest, RightAnswerPasses) {
  EXPECT_EQ(VerdictFor(EqualsCase({1, 2}), Says({1, 2})), Verdict::kPassed);
}

TEST(RunCaseTest, LiarFails) {
  EXPECT_EQ(VerdictFor(EqualsCase({1, 2}), Says({1, 3})), Verdict::kFailed);
}

TEST(RunCaseTest, ForgetterFails) {
  const auto forgets = [](const Request&) { return Observations{}; };
  MiniatureTestee testee(forgets);
  const Case conformance_case = EqualsCase(1);
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_EQ(result.runs[0].findings[0].difference,
            "'x' was not observed: the program ran to its end");
}

TEST(RunCaseTest, UnexpectedErrorIsErrored) {
  EXPECT_EQ(VerdictFor(EqualsCase(1), FailsWith("OutOfRange")),
            Verdict::kErrored);
}

TEST(RunCaseTest, ExpectedErrorPasses) {
  const Case conformance_case =
      MakeCase({Expect(Relation::kError, "OutOfRange", Level::kRequired)});
  EXPECT_EQ(VerdictFor(conformance_case, FailsWith("OutOfRange")),
            Verdict::kPassed);
  EXPECT_EQ(VerdictFor(conformance_case, FailsWith("NotFound")),
            Verdict::kFailed);
  EXPECT_EQ(VerdictFor(conformance_case, Says(1)), Verdict::kFailed);
}

TEST(RunCaseTest, ExpectedErrorComesFromItsStep) {
  Expectation error = Expect(Relation::kError, "OutOfRange", Level::kRequired);
  error.at_steps = {"data.y", "data.x"};
  EXPECT_EQ(VerdictFor(MakeCase({error}), FailsWith("OutOfRange")),
            Verdict::kPassed);
  error.at_steps = {"data.y"};
  EXPECT_EQ(VerdictFor(MakeCase({error}), FailsWith("OutOfRange")),
            Verdict::kFailed);
}

TEST(RunCaseTest, LackOfAStepIsUnsupportedWhateverIsExpected) {
  const auto lacks = [](const Request&) {
    return Unsupported{"data.x", "no data here"};
  };
  EXPECT_EQ(VerdictFor(EqualsCase(1), lacks), Verdict::kUnsupported);
  EXPECT_EQ(
      VerdictFor(
          MakeCase({Expect(Relation::kError, "OutOfRange", Level::kRequired)}),
          lacks),
      Verdict::kUnsupported);
}

TEST(RunCaseTest, MoreWorkersThanCanBeStartedAreUnsupportedAndNotAskedFor) {
  Case conformance_case = EqualsCase({1, 2});
  conformance_case.given = {
      {"strategy", "multi_worker_mirrored"}, {"workers", 2}, {"replicas", 1}};
  MiniatureTestee testee(Says({1, 2}));
  const CaseResult none = RunCase(conformance_case, testee, {});
  EXPECT_EQ(none.verdict, Verdict::kUnsupported);
  EXPECT_EQ(std::get<Unsupported>(none.runs[0].answer).reason,
            "2 workers are given, and it starts none");
  EXPECT_TRUE(testee.requests.empty());
  testee.declaration.workers = 1;
  EXPECT_EQ(std::get<Unsupported>(
                RunCase(conformance_case, testee, {}).runs[0].answer)
                .reason,
            "2 workers are given, and it starts at most 1");
  testee.declaration.workers = 2;
  EXPECT_EQ(RunCase(conformance_case, testee, {}).verdict, Verdict::kPassed);
}

TEST(RunCaseTest, ExceptionThatEscapesIsAFailureOfTheTestee) {
  const auto throws = [](const Request&) -> Answer {
    throw std::runtime_error("broken");
  };
  MiniatureTestee testee(throws);
  const Case conformance_case = EqualsCase(1);
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kErrored);
  EXPECT_EQ(std::get<Failure>(result.runs[0].answer).error_class, "Internal");
}

TEST(RunCaseTest, WhatIsNotJudgedIsToldWhateverTheAnswer) {
  for (const Level level : {Level::kDecision, Level::kObserved}) {
    for (const auto& [answer, as_stated] :
         std::vector<std::pair<MiniatureTestee::Behaviour, bool>>{
             {Says(1), true},
             {Says(2), false},
             {FailsWith("Internal"), false}}) {
      MiniatureTestee testee(answer);
      const Case conformance_case = EqualsCase(1, level);
      const CaseResult result = RunCase(conformance_case, testee, {});
      EXPECT_EQ(result.verdict, Verdict::kTold);
      EXPECT_EQ(result.as_stated, as_stated);
    }
  }
}

TEST(RunCaseTest, WhatIsRecommendedWarns) {
  const Case advice = EqualsCase(1, Level::kRecommended);
  EXPECT_EQ(VerdictFor(advice, Says(1)), Verdict::kPassed);
  EXPECT_EQ(VerdictFor(advice, Says(2)), Verdict::kWarned);
  EXPECT_EQ(VerdictFor(advice, FailsWith("Internal")), Verdict::kWarned);
}

TEST(RunCaseTest, TheWorstBrokenLevelDecides) {
  const auto verdict = [](Json required, Json recommended, Json observed) {
    const Case all =
        MakeCase({Expect(Relation::kEquals, required, Level::kRequired),
                  Expect(Relation::kEquals, recommended, Level::kRecommended),
                  Expect(Relation::kEquals, observed, Level::kObserved)});
    return VerdictFor(all, Says(1));
  };
  EXPECT_EQ(verdict(1, 1, 1), Verdict::kPassed);
  EXPECT_EQ(verdict(1, 1, 2), Verdict::kPassed);
  EXPECT_EQ(verdict(1, 2, 2), Verdict::kWarned);
  EXPECT_EQ(verdict(2, 2, 2), Verdict::kFailed);
}

TEST(RunCaseTest, EveryExpectationCounts) {
  const Case two =
      MakeCase({Expect(Relation::kEquals, 4, Level::kRequired),
                Expect(Relation::kMultipleOf, 3, Level::kRequired)});
  EXPECT_EQ(VerdictFor(two, Says(4)), Verdict::kFailed);
}

TEST(RunCaseTest, RelationsAreJudged) {
  const auto verdict = [](Relation relation, Json value, Json x) {
    return VerdictFor(
        MakeCase({Expect(relation, std::move(value), Level::kRequired)}),
        Says(std::move(x)));
  };
  EXPECT_EQ(verdict(Relation::kMultipleOf, 2, {2, 4}), Verdict::kPassed);
  EXPECT_EQ(verdict(Relation::kMultipleOf, 2, {2, 3}), Verdict::kFailed);
  EXPECT_EQ(verdict(Relation::kSameMultiset, {1, 2}, {2, 1}), Verdict::kPassed);
  EXPECT_EQ(verdict(Relation::kSameMultiset, {1, 2}, {2, 2}), Verdict::kFailed);
  EXPECT_EQ(verdict(Relation::kSameOnAllReplicas, true, {5, 5}),
            Verdict::kPassed);
  EXPECT_EQ(verdict(Relation::kSameOnAllReplicas, true, {5, 6}),
            Verdict::kFailed);
  EXPECT_EQ(verdict(Relation::kSameOnAllReplicas, true, Json::array({5})),
            Verdict::kFailed);
  EXPECT_EQ(verdict(Relation::kSameOnAllReplicas, "in_each_round",
                    Json::parse("[[1,1],[2,3]]")),
            Verdict::kFailed);
}

TEST(RunCaseTest, AnotherObservationIsDifferedFrom) {
  Expectation expectation =
      Expect(Relation::kDiffersFrom, "y", Level::kRequired);
  expectation.other_observation = "y";
  const auto verdict = [&](Json observations) {
    return VerdictFor(MakeCase({expectation}), [=](const Request&) {
      return Observations{observations};
    });
  };
  EXPECT_EQ(verdict({{"x", {1, 2}}, {"y", {2, 1}}}), Verdict::kPassed);
  EXPECT_EQ(verdict({{"x", {1, 2}}, {"y", {1, 2}}}), Verdict::kFailed);
  EXPECT_EQ(verdict({{"x", {1, 2}}}), Verdict::kFailed);
}

TEST(RunCaseTest, CloseAllowsItsToleranceAndNoMore) {
  Expectation close = Expect(Relation::kClose, 1, Level::kRequired);
  close.rtol = 0.1;
  EXPECT_EQ(VerdictFor(MakeCase({close}), Says(1.05)), Verdict::kPassed);
  EXPECT_EQ(VerdictFor(MakeCase({close}), Says(1.2)), Verdict::kFailed);
}

TEST(RunCaseTest, EveryReplicaCountIsRunAndTheWorstCounts) {
  const auto wrong_on_three = [](const Request& request) {
    return Observations{{{"x", request.given["replicas"] == 3 ? 0 : 1}}};
  };
  MiniatureTestee testee(wrong_on_three);
  const Case conformance_case =
      MakeCase({Expect(Relation::kEquals, 1, Level::kRequired)}, {1, 3, 4});
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  ASSERT_EQ(result.runs.size(), 3u);
  EXPECT_EQ(result.runs[0].verdict, Verdict::kPassed);
  EXPECT_EQ(result.runs[1].verdict, Verdict::kFailed);
  EXPECT_EQ(result.runs[1].given["replicas"], 3);
}

TEST(RunCaseTest, SameAsRunsTheProgramAgainWithWhatIsGivenThere) {
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

TEST(RunCaseTest, SameAsRunsTheProgramAgainWithOtherParameters) {
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

TEST(RunCaseTest, RoundingIsWhatMovedInputsChange) {
  const Case conformance_case = RoundedCase();
  const double explained = 8 * 1000 * 0x1p-23;
  MiniatureTestee testee(OffBy(0.9 * explained));
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_NEAR(result.runs[0].findings[0].rounding[""].get<double>(), explained,
              1e-9);
  EXPECT_EQ(testee.requests.size(), 3u);  // asked, compared, moved: explained
  EXPECT_EQ(result.runs[0].tokens.size(), 3u);
}

TEST(RunCaseTest, MovesThatDoNotExplainItEnd) {
  MiniatureTestee testee(OffBy(1.1 * 8 * 1000 * 0x1p-23));
  EXPECT_EQ(RunCase(RoundedCase(), testee, {}).verdict, Verdict::kFailed);
  // Asked, compared, moved up and down: the third of the moves goes up again.
  EXPECT_EQ(testee.requests.size(), 4u);
}

TEST(RunCaseTest, NoInputIsMovedForADifferenceOfARoundingUnit) {
  MiniatureTestee testee(OffBy(8 * 0x1p-23));
  const CaseResult result = RunCase(RoundedCase(), testee, {});
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_EQ(testee.requests.size(), 2u);
  EXPECT_EQ(result.runs[0].findings[0].rounding, Json({{"", 8 * 0x1p-23}}));
}

TEST(RunCaseTest, ARunWithMovedInputsThatEndsInAnErrorFailsTheCase) {
  const auto wants_ones = [](const Request& request) -> Answer {
    if (request.program[0]["value"] != 1) return Failure{"Internal", "", ""};
    return Observations{{{"x", request.given["replicas"]}}};
  };
  EXPECT_EQ(VerdictFor(RoundedCase(), wants_ones), Verdict::kFailed);
}

TEST(RunCaseTest, WhatSeveralExpectationsCompareWithIsAskedOnce) {
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
  EXPECT_EQ(result.runs[1].tokens,
            (std::vector<std::string>{
                testee.requests[3].token, testee.requests[1].token,
                testee.requests[2].token, testee.requests[1].token}));
}

TEST(RunCaseTest, SameAsNeedsSomethingToCompareWith) {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  const auto fails_on_one = [](const Request& request) -> Answer {
    if (request.given["replicas"] == 1) return Failure{"Internal", "", ""};
    return Observations{{{"x", 1}}};
  };
  EXPECT_EQ(VerdictFor(MakeCase({as_one}), fails_on_one), Verdict::kFailed);
}

TEST(RunCaseTest, NoAnswerHasItsVerdictWhateverIsExpected) {
  const auto verdict = [](const Answer& answer) {
    const auto answers = [=](const Request&) { return answer; };
    const Case error =
        MakeCase({Expect(Relation::kError, "Internal", Level::kRequired)});
    EXPECT_EQ(VerdictFor(error, answers), VerdictFor(EqualsCase(1), answers));
    return VerdictFor(error, answers);
  };
  EXPECT_EQ(verdict(TimedOut{std::chrono::seconds(1), ""}), Verdict::kTimedOut);
  EXPECT_EQ(verdict(Crashed{"SIGSEGV", ""}), Verdict::kCrashed);
  EXPECT_EQ(verdict(ProtocolError{"no JSON", ""}), Verdict::kProtocolError);
}

TEST(RunCaseTest, DeathInTheRunToCompareWithCounts) {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  const auto dies_on_one = [](const Request& request) -> Answer {
    if (request.given["replicas"] == 1) return Crashed{"SIGSEGV", ""};
    return Observations{{{"x", 1}}};
  };
  EXPECT_EQ(VerdictFor(MakeCase({as_one}), dies_on_one), Verdict::kCrashed);
}

// Expects a 1 of those who split, a 2 of those who pad.
Case CaseOfTwoDialects() {
  Expectation split = Expect(Relation::kEquals, 1, Level::kRequired);
  split.when = {{"remainder", "split"}};
  Expectation pad = Expect(Relation::kEquals, 2, Level::kRequired);
  pad.when = {{"remainder", "pad"}};
  return MakeCase({split, pad});
}

CaseResult RunIn(const Dialect& dialect, const Case& conformance_case,
                 Testee& testee) {
  return RunCase(conformance_case, testee, dialect);
}

TEST(RunCaseTest, OnlyWhatAppliesToTheDialectIsJudged) {
  const Case conformance_case = CaseOfTwoDialects();
  for (const auto& [x, passing] :
       std::map<int, std::string>{{1, "split"}, {2, "pad"}}) {
    for (const std::string value : {"split", "pad"}) {
      MiniatureTestee testee(Says(x));
      const CaseResult result =
          RunIn({{"remainder", value}}, conformance_case, testee);
      EXPECT_EQ(result.verdict,
                value == passing ? Verdict::kPassed : Verdict::kFailed);
      EXPECT_EQ(result.runs[0].findings.size(), 1u);
    }
  }
}

TEST(RunCaseTest, WhereNothingAppliesTheCaseIsUnsupportedAndNotAsked) {
  const Case conformance_case = CaseOfTwoDialects();
  MiniatureTestee testee(Says(1));
  const CaseResult result =
      RunIn({{"remainder", "drop"}}, conformance_case, testee);
  EXPECT_EQ(result.verdict, Verdict::kUnsupported);
  EXPECT_TRUE(testee.requests.empty());
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(std::get<Unsupported>(result.runs[0].answer).reason,
            "judged only for testees that declare remainder: pad; or "
            "remainder: split");
}

TEST(RunCaseTest, ACaseOfWhichOnlyWhatIsToldAppliesIsTold) {
  Case conformance_case = CaseOfTwoDialects();
  conformance_case.expect[1].level = Level::kObserved;
  MiniatureTestee testee(Says(2));
  EXPECT_EQ(RunIn({{"remainder", "pad"}}, conformance_case, testee).verdict,
            Verdict::kTold);
  EXPECT_EQ(RunIn({{"remainder", "split"}}, conformance_case, testee).verdict,
            Verdict::kFailed);
}

TEST(RunCaseTest, TimeUntilTheAnswerIsTaken) {
  MiniatureTestee slow([](const Request&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Observations{{{"x", 1}}};
  });
  const Case conformance_case = EqualsCase(1);
  const CaseResult result = RunCase(conformance_case, slow, {});
  EXPECT_GE(result.runs[0].seconds, 0.02);
}

TEST(RunCaseTest, TesteeIsNeverToldWhatIsExpected) {
  MiniatureTestee testee(Says(123456));
  const Case conformance_case = EqualsCase(123456);
  RunCase(conformance_case, testee, {});
  ASSERT_EQ(testee.requests.size(), 1u);
  const Request& told = testee.requests[0];
  EXPECT_EQ(
      (told.token + told.given.dump() + told.program.dump()).find("123456"),
      std::string::npos);
}

TEST(RunCaseTest, TheTokenTellsNoTwoRunsOfACaseToBeThatCase) {
  MiniatureTestee testee(Says(1));
  const Case conformance_case = EqualsCase(1);
  std::set<std::string> tokens;
  for (int i = 0; i < 20; ++i) {
    const CaseResult result = RunCase(conformance_case, testee, {});
    EXPECT_THAT(result.runs[0].tokens,
                ElementsAre(testee.requests.back().token));
    tokens.insert(testee.requests.back().token);
  }
  EXPECT_EQ(tokens.size(), 20u);
}

}  // namespace
}  // namespace lockstep
