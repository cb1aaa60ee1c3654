#include "conformance/runner/verdicts/run_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "conformance/runner/verdicts/run_case_testing.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using testing::ElementsAre;

TEST(RunCaseTest, RightAnswerPasses) {
  EXPECT_EQ(VerdictFor(EqualsCase({1, 2}), Says({1, 2})), Verdict::kPassed);
}

TEST(RunCaseTest, WrongAnswerFails) {
  EXPECT_EQ(VerdictFor(EqualsCase({1, 2}), Says({1, 3})), Verdict::kFailed);
}

TEST(RunCaseTest, MissingObservationFails) {
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

TEST(RunCaseTest, UnsupportedStepIsUnsupported) {
  const auto unsupported = [](const Request&) {
    return Unsupported{"data.x", "no data here"};
  };
  EXPECT_EQ(VerdictFor(EqualsCase(1), unsupported), Verdict::kUnsupported);
  EXPECT_EQ(
      VerdictFor(
          MakeCase({Expect(Relation::kError, "OutOfRange", Level::kRequired)}),
          unsupported),
      Verdict::kUnsupported);
}

TEST(RunCaseTest, TooManyWorkersAreUnsupported) {
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

TEST(RunCaseTest, ExceptionIsAFailureOfTheTestee) {
  const auto throws = [](const Request&) -> Answer {
    throw std::runtime_error("broken");
  };
  MiniatureTestee testee(throws);
  const Case conformance_case = EqualsCase(1);
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kErrored);
  EXPECT_EQ(std::get<Failure>(result.runs[0].answer).error_class, "Internal");
}

TEST(RunCaseTest, OtherLevelsAreInformational) {
  for (const Level level : {Level::kDecision, Level::kObserved}) {
    for (const auto& [answer, matches] :
         std::vector<std::pair<MiniatureTestee::Behaviour, bool>>{
             {Says(1), true},
             {Says(2), false},
             {FailsWith("Internal"), false}}) {
      MiniatureTestee testee(answer);
      const Case conformance_case = EqualsCase(1, level);
      const CaseResult result = RunCase(conformance_case, testee, {});
      EXPECT_EQ(result.verdict, Verdict::kInformational);
      EXPECT_EQ(result.matches, matches);
    }
  }
}

TEST(RunCaseTest, BrokenRecommendationWarns) {
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

TEST(RunCaseTest, JudgesDiffersFrom) {
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

TEST(RunCaseTest, JudgesEntriesDiffer) {
  const auto verdict = [](Json observed) {
    return VerdictFor(
        MakeCase({Expect(Relation::kEntriesDiffer, true, Level::kRequired)}),
        Says(std::move(observed)));
  };
  EXPECT_EQ(verdict({1, 2, 3}), Verdict::kPassed);
  EXPECT_EQ(verdict({{1, 2}, {2, 1}}), Verdict::kPassed);
  EXPECT_EQ(verdict({{1, 2}, {2, 1}, {1.0, 2.0}}), Verdict::kFailed);
  EXPECT_EQ(verdict({1, 1}), Verdict::kFailed);
  EXPECT_EQ(verdict(Json::array({1})), Verdict::kFailed);
  EXPECT_EQ(verdict(1), Verdict::kFailed);
  EXPECT_EQ(verdict(Json(std::vector<int>(1001))), Verdict::kFailed);
}

TEST(RunCaseTest, JudgesClose) {
  Expectation close = Expect(Relation::kClose, 1, Level::kRequired);
  close.rtol = 0.1;
  EXPECT_EQ(VerdictFor(MakeCase({close}), Says(1.05)), Verdict::kPassed);
  EXPECT_EQ(VerdictFor(MakeCase({close}), Says(1.2)), Verdict::kFailed);
}

TEST(RunCaseTest, WorstReplicaCountCounts) {
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

TEST(RunCaseTest, MissingAnswerHasItsVerdict) {
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

// Expects 1 under "split" and 2 under "pad".
Case CaseOfTwoDialects() {
  Expectation split = Expect(Relation::kEquals, 1, Level::kRequired);
  split.when = {{"remainder", {"split"}}};
  Expectation pad = Expect(Relation::kEquals, 2, Level::kRequired);
  pad.when = {{"remainder", {"pad"}}};
  return MakeCase({split, pad});
}

CaseResult RunIn(const Dialect& dialect, const Case& conformance_case,
                 Testee& testee) {
  return RunCase(conformance_case, testee, dialect);
}

TEST(RunCaseTest, JudgesByDialect) {
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

// Promises 1; expects 2 under "pad", and an error under "error".
Case CaseOfAPromise() {
  Expectation pads = Expect(Relation::kEquals, 2, Level::kRequired);
  pads.when = {{"remainder", {"pad"}}};
  pads.departs = true;
  Expectation refuses =
      Expect(Relation::kError, "InvalidArgument", Level::kRequired);
  refuses.when = {{"remainder", {"error"}}};
  refuses.departs = true;
  return MakeCase(
      {Expect(Relation::kEquals, 1, Level::kRequired), pads, refuses});
}

TEST(RunCaseTest, DepartureIsNotAPass) {
  const Case promise = CaseOfAPromise();
  const auto verdict = [&](const char* convention,
                           MiniatureTestee::Behaviour behaviour) {
    MiniatureTestee testee(std::move(behaviour));
    return RunIn({{"remainder", convention}}, promise, testee).verdict;
  };
  EXPECT_EQ(verdict("split", Says(1)), Verdict::kPassed);
  EXPECT_EQ(verdict("split", Says(2)), Verdict::kFailed);
  EXPECT_EQ(verdict("pad", Says(2)), Verdict::kDeparted);
  EXPECT_EQ(verdict("pad", Says(1)), Verdict::kFailed);
  EXPECT_EQ(verdict("pad", FailsWith("InvalidArgument")), Verdict::kErrored);
  EXPECT_EQ(verdict("error", FailsWith("InvalidArgument")), Verdict::kDeparted);
  EXPECT_EQ(verdict("error", Says(1)), Verdict::kFailed);
}

TEST(RunCaseTest, OnlyJudgedLevelsDepart) {
  Case informational = CaseOfAPromise();
  for (Expectation& expectation : informational.expect) {
    expectation.level = Level::kObserved;
  }
  MiniatureTestee testee(Says(2));
  EXPECT_EQ(RunIn({{"remainder", "pad"}}, informational, testee).verdict,
            Verdict::kInformational);
}

TEST(RunCaseTest, JudgesImpliedExpectations) {
  Expectation implied =
      Expect(Relation::kSameOnAllReplicas, true, Level::kRequired);
  implied.is_implied = true;
  implied.replicas = 3;
  const Case equal =
      MakeCase({Expect(Relation::kMultipleOf, 1, Level::kObserved), implied});
  EXPECT_EQ(VerdictFor(equal, Says({1, 1, 1})), Verdict::kPassed);
  EXPECT_EQ(VerdictFor(equal, Says({1, 1})), Verdict::kFailed);
  EXPECT_EQ(VerdictFor(equal, Says({1, 1, 2})), Verdict::kFailed);
  const Case ends = MakeCase(
      {Expect(Relation::kError, "Internal", Level::kRequired), implied});
  EXPECT_EQ(VerdictFor(ends, FailsWith("Internal")), Verdict::kPassed);
}

TEST(RunCaseTest, CaseThatDoesNotApplyIsUnsupported) {
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

TEST(RunCaseTest, InformationalIfNothingJudgedApplies) {
  Case conformance_case = CaseOfTwoDialects();
  conformance_case.expect[1].level = Level::kObserved;
  MiniatureTestee testee(Says(2));
  EXPECT_EQ(RunIn({{"remainder", "pad"}}, conformance_case, testee).verdict,
            Verdict::kInformational);
  EXPECT_EQ(RunIn({{"remainder", "split"}}, conformance_case, testee).verdict,
            Verdict::kFailed);
}

TEST(RunCaseTest, MeasuresTimeToAnswer) {
  MiniatureTestee slow([](const Request&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Observations{{{"x", 1}}};
  });
  const Case conformance_case = EqualsCase(1);
  const CaseResult result = RunCase(conformance_case, slow, {});
  EXPECT_GE(result.runs[0].seconds, 0.02);
}

TEST(RunCaseTest, DoesNotRevealExpectations) {
  MiniatureTestee testee(Says(123456));
  const Case conformance_case = EqualsCase(123456);
  RunCase(conformance_case, testee, {});
  ASSERT_EQ(testee.requests.size(), 1u);
  const Request& request = testee.requests[0];
  EXPECT_EQ((request.token + request.given.dump() + request.program.dump())
                .find("123456"),
            std::string::npos);
}

TEST(RunCaseTest, TokensAreUnique) {
  MiniatureTestee testee(Says(1));
  const Case conformance_case = EqualsCase(1);
  std::set<std::string> tokens;
  for (int i = 0; i < 20; ++i) {
    const CaseResult result = RunCase(conformance_case, testee, {});
    ASSERT_EQ(result.runs[0].programs.size(), 1u);
    EXPECT_EQ(result.runs[0].programs[0].token, testee.requests.back().token);
    tokens.insert(testee.requests.back().token);
  }
  EXPECT_EQ(tokens.size(), 20u);
}

}  // namespace
}  // namespace lockstep
