#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/answers/judge_answers.h"
#include "conformance/runner/answers/record_answers.h"
#include "conformance/runner/verdicts/run_case_testing.h"
#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::string WriteFile(const std::string& text) {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/answers.json";
  std::ofstream(path) << text;
  return path;
}

AnswerStore AfterAFile(const AnswerStore& store) {
  return LoadAnswers(WriteFile(AnswersToText(store)));
}

// On two replicas as on one, up to rounding.
Case SameAsOne() {
  Expectation as_one = Expect(Relation::kSameAs, {}, Level::kRequired);
  as_one.other_given = {{"replicas", 1}};
  as_one.to_rounding = true;
  Case conformance_case = MakeCase({as_one});
  conformance_case.program = Json::parse(
      R"([{"let": "a", "step": "data.x", "value": [1.0]},
          {"observe": "x", "step": "data.x", "of": "a"}])");
  return conformance_case;
}

// Off by a half on more than one replica.
Answer OffByHalf(const Request& request) {
  return Observations{{{"x", request.given["replicas"] == 1 ? 1.0 : 1.5}}};
}

class AnswersTest : public testing::Test {
 protected:
  CaseResult Ask(const Case& conformance_case,
                 const MiniatureTestee::Behaviour& behaviour) {
    MiniatureTestee testee(behaviour);
    CaseResult result = RunCase(conformance_case, testee, {});
    RecordAnswers({CaseRecord(result)}, testee.declaration, provenance, store);
    return result;
  }

  JudgedAnswers Judge(const Case& conformance_case) {
    return JudgeAnswers({&conformance_case}, store, {}, now);
  }

  AnswerStore store;
  Provenance provenance{.date = "2026-11-26T10:00:00Z",
                        .machine = "2 x Mill",
                        .packages = {{"mini", "1.0"}},
                        .program = "aa",
                        .steps = {{"data.x", "bb"}, {"data.y", "cc"}}};
  Provenance now = provenance;
};

TEST_F(AnswersTest, StoredAnswersJudgeTheSame) {
  for (const Case& conformance_case :
       {EqualsCase(1), EqualsCase(2), SameAsOne()}) {
    const CaseResult live = Ask(conformance_case, OffByHalf);
    store = AfterAFile(store);
    const JudgedAnswers judged = Judge(conformance_case);
    ASSERT_EQ(judged.results.size(), 1u);
    const RunResult& run = judged.results[0].runs[0];
    EXPECT_EQ(judged.results[0].verdict, live.verdict);
    EXPECT_EQ(run.findings[0].difference, live.runs[0].findings[0].difference);
    EXPECT_EQ(run.findings[0].rounding, live.runs[0].findings[0].rounding);
    EXPECT_EQ(run.findings[0].compared_with,
              live.runs[0].findings[0].compared_with);
  }
}

TEST_F(AnswersTest, StoresFirstDifferences) {
  Case conformance_case = SameAsOne();
  MiniatureTestee testee(OffByHalf);
  CaseResult result = RunCase(conformance_case, testee, {});
  result.runs[0].findings[0].first_difference = "training step 1";
  RecordAnswers({CaseRecord(result)}, testee.declaration, provenance, store);
  store = AfterAFile(store);
  EXPECT_EQ(
      Judge(conformance_case).results[0].runs[0].findings[0].first_difference,
      "training step 1");
}

TEST_F(AnswersTest, StoresOnlyNeededAnswers) {
  CaseResult result = Ask(EqualsCase(1), Says(1));
  result.other_answers.emplace("abcdef", Observations{{{"x", 5}}});
  RecordAnswers({CaseRecord(result)}, store.declaration, provenance, store);
  EXPECT_FALSE(
      store.cases.at("input/numbers/count").answers.contains("abcdef"));
}

TEST_F(AnswersTest, RoundTripsEveryKindOfAnswer) {
  const std::vector<Answer> answers = {
      Observations{{{"x", Json::array({1, 1.5, "NaN", nullptr, true})}}},
      Failure{"NotFound", "no such file", "data.x"},
      Unsupported{"data.x", "it has none"}, Crashed{"SIGSEGV", ""},
      ProtocolError{"no JSON", ""}};
  for (const Answer& answer : answers) {
    Ask(EqualsCase(1), [&](const Request&) { return answer; });
    store = AfterAFile(store);
    const JudgedAnswers judged = Judge(EqualsCase(1));
    ASSERT_EQ(judged.results.size(), 1u);
    EXPECT_EQ(AnswerToJson(judged.results[0].runs[0].answer),
              AnswerToJson(answer));
  }
}

TEST_F(AnswersTest, JudgesByChangedExpectations) {
  Ask(EqualsCase(1), Says(2));
  EXPECT_EQ(Judge(EqualsCase(2)).results[0].verdict, Verdict::kPassed);
}

TEST_F(AnswersTest, ChangedProgramHasNoAnswer) {
  Ask(EqualsCase(1), Says(1));
  Case other = EqualsCase(1);
  other.program[0]["value"] = 3;
  const JudgedAnswers judged = Judge(other);
  EXPECT_TRUE(judged.results.empty());
  EXPECT_THAT(judged.not_answered,
              ElementsAre(Pair(other.id, "the case changed")));
  other.id = "input/numbers/another";
  EXPECT_THAT(Judge(other).not_answered,
              ElementsAre(Pair(other.id, "it was not run")));
}

TEST_F(AnswersTest, ChangedComparisonHasNoAnswer) {
  Case conformance_case = SameAsOne();
  Ask(conformance_case, OffByHalf);
  conformance_case.expect[0].other_given = {{"replicas", 3}};
  EXPECT_THAT(Judge(conformance_case).not_answered,
              ElementsAre(Pair(conformance_case.id, "the case changed")));
}

TEST_F(AnswersTest, OutdatedHasReason) {
  Ask(EqualsCase(1), Says(1));
  const auto why = [&] { return WhyOutdated(EqualsCase(1), store, now); };
  EXPECT_EQ(why(), "");
  now.steps["data.y"] = "dd";  // which the case does not use
  EXPECT_EQ(why(), "");
  now.steps["data.x"] = "dd";
  EXPECT_EQ(why(), "the testee's step data.x changed");
  now.program = "ee";
  EXPECT_EQ(why(), "the testee changed");
  now.packages["mini"] = "1.1";
  EXPECT_EQ(why(), "mini is 1.1 now, it was run with 1.0");
  EXPECT_EQ(WhyOutdated(EqualsCase(1), store, {}), "");
}

TEST_F(AnswersTest, OutdatedAnswersAreJudged) {
  Ask(EqualsCase(1), Says(1));
  now.program = "ee";
  const JudgedAnswers judged = Judge(EqualsCase(1));
  EXPECT_EQ(judged.results.size(), 1u);
  EXPECT_EQ(judged.outdated.size(), 1u);
}

TEST_F(AnswersTest, OtherCasesKeepTheirRecording) {
  Ask(EqualsCase(1), Says(1));
  Case later = EqualsCase(1);
  later.id = "input/numbers/later";
  provenance.date = "2026-11-27T10:00:00Z";
  provenance.program = "another";
  Ask(later, Says(1));
  store = AfterAFile(store);
  EXPECT_EQ(store.ProvenanceOf("input/numbers/count"), now);
  EXPECT_EQ(store.ProvenanceOf(later.id), provenance);
  Ask(EqualsCase(1), Says(1));
  EXPECT_THAT(store.recordings, ElementsAre(provenance));
}

TEST_F(AnswersTest, MergesRecordingsThatDifferOnlyInDate) {
  Ask(EqualsCase(1), Says(1));
  Case later = EqualsCase(1);
  later.id = "input/numbers/later";
  provenance.date = "2026-11-27T10:00:00Z";
  Ask(later, Says(1));
  EXPECT_THAT(store.recordings, ElementsAre(provenance));
}

TEST_F(AnswersTest, RemovesOtherCases) {
  Ask(EqualsCase(1), Says(1));
  KeepAnswersOf({"input/numbers/another"}, store);
  EXPECT_TRUE(store.cases.empty());
  EXPECT_TRUE(store.recordings.empty());
}

TEST_F(AnswersTest, TimeoutIsNotStored) {
  Ask(EqualsCase(1), Says(1));
  Ask(EqualsCase(1), [](const Request&) {
    return TimedOut{std::chrono::milliseconds(1), ""};
  });
  EXPECT_TRUE(store.cases.empty());
}

TEST_F(AnswersTest, WritesEqualAnswersOnce) {
  Ask(SameAsOne(), [](const Request& request) {
    return Observations{
        {{"x", request.given["replicas"] == 1 ? "first" : "second"}}};
  });
  Case other = EqualsCase(1);
  for (const char* id : {"a/b/c", "a/b/d"}) {
    other.id = id;
    Ask(other, [](const Request&) { return Unsupported{"data.x", "none"}; });
  }
  const std::string text = AnswersToText(store);
  EXPECT_EQ(text.find("none"), text.rfind("none"));
  EXPECT_EQ(text.find("first"), text.rfind("first"));
}

TEST(PortableMessageTest, KeepsLastPartOfPaths) {
  EXPECT_EQ(PortableMessage("no file /tmp/run-x1/a/model.index"),
            "no file .../model.index");
  EXPECT_EQ(PortableMessage("'/tmp/a', 1/2 and a/b/c; https://x.org/a/b"),
            "'.../a', 1/2 and a/b/c; https:.../b");
  EXPECT_EQ(PortableMessage("/ and /one"), "/ and /one");
  EXPECT_EQ(PortableMessage("path=/tmp/a/b.h5"), "path=.../b.h5");
}

TEST(PortableMessageTest, CutsLongMessages) {
  const std::string cut = PortableMessage(std::string(299, 'x') + "äy");
  EXPECT_EQ(cut, std::string(299, 'x') + "...");
  EXPECT_THAT(PortableMessage(std::string(299, 'x')), Not(HasSubstr("...")));
}

TEST(LoadAnswersTest, ReportsPlaceOfError) {
  const auto load = [](const std::string& cases) {
    return [=] {
      LoadAnswers(WriteFile(
          R"({"format": 1, "testee": {"version": 1, "name": "m", "implementation": "M", "language": "c", "devices": [], "conventions": {}, "steps": []},
              "recordings": [{"date": "d"}], "unsupported": [], "cases": [)" +
          cases + "]}"));
    };
  };
  EXPECT_NO_THROW(load("")());
  const auto case_with = [](const std::string& answers) {
    return R"({"id": "a/b/c", "recording": 0, "answers": )" + answers + "}";
  };
  const auto expect_error = [&](const std::string& cases, const char* words) {
    ExpectError(load(cases), Code::kInvalidArgument, words);
  };
  expect_error(case_with("{}") + "," + case_with("{}"), "duplicate case");
  expect_error(case_with(R"({"aa": 0})"), "$.cases[0].answers.aa");
  expect_error(case_with(R"({"aa": "bb"})"), "no answer 'bb'");
  expect_error(case_with(R"({"aa": {"timed_out": 1}})"), "timed_out");
  expect_error(R"({"id": "a/b/c", "recording": 1, "answers": {}})",
               "$.cases[0].recording");
}

}  // namespace
}  // namespace lockstep
