#include "conformance/runner/deviations/deviation_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "conformance/runner/deviations/case_testing.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Deviation Entry(const std::string& pattern) {
  return {.kind = "defect",
          .reason = "It adds one too many.",
          .references = {"https://example.org/1"},
          .cases = {pattern},
          .place = "mini.json at $.deviations[0]"};
}

// The results as recorded ones.
RecordedResults Recorded(const Records& records) {
  RecordedResults recorded;
  for (const CaseRecord& record : records.records) {
    recorded.emplace(record.id(), record.result());
  }
  return recorded;
}

std::vector<std::string> Texts(const std::vector<Unexpected>& found) {
  std::vector<std::string> texts;
  for (const Unexpected& unexpected : found) {
    texts.push_back(fmt::format("{} {}: {}", ProblemName(unexpected.problem),
                                unexpected.subject, unexpected.text));
  }
  return texts;
}

class DeviationCheckTest : public testing::Test {
 protected:
  // "problem subject: text" of each.
  std::vector<std::string> Found(const Records& records,
                                 std::vector<Deviation> entries,
                                 bool is_partial = false,
                                 std::vector<Level> enforced = {}) const {
    return Texts(FindUnexpected(
        records.records, {.implementation = "mini", .entries = entries},
        {.all = records.ids(), .is_partial = is_partial}, enforced));
  }

  // The same where `before` was recorded.
  std::vector<std::string> FoundSince(
      const Records& before, const Records& records,
      std::vector<Deviation> entries,
      std::vector<UnsupportedSteps> unsupported = {}) const {
    return Texts(FindUnexpected(records.records,
                                {.implementation = "mini",
                                 .entries = entries,
                                 .unsupported = unsupported},
                                {.all = records.ids()}, {}, Recorded(before)));
  }

  const Records passes_{{{"a/b/c", Observe(1)}}};
  const Records fails_{{{"a/b/c", Observe(2)}}};
};

// The schema of results must accept every problem.
TEST(ProblemTest, SchemaHasEveryProblem) {
  const Json schema = ReadJsonFile("conformance/schemas/results.schema.json");
  const Json& problem =
      schema["definitions"]["unexpected"]["properties"]["problem"];
  Json names = Json::array();
  for (int i = 0; i <= static_cast<int>(Problem::kFlickers); ++i) {
    names.push_back(ProblemName(static_cast<Problem>(i)));
  }
  EXPECT_THAT(problem["enum"],
              testing::UnorderedElementsAreArray(names.begin(), names.end()));
}

TEST_F(DeviationCheckTest, ListedDeviationsAreExpected) {
  EXPECT_THAT(Found(passes_, {}), IsEmpty());
  EXPECT_THAT(Found(fails_, {Entry("a/b/c")}), IsEmpty());
  EXPECT_THAT(Found(fails_, {Entry("a/*/*")}), IsEmpty());
}

TEST_F(DeviationCheckTest, UnlistedFailure) {
  EXPECT_THAT(Found(fails_, {}),
              ElementsAre("not_listed a/b/c: failed, which no entry for mini "
                          "lists"));
}

TEST_F(DeviationCheckTest, OtherLevelsNeedNoEntry) {
  for (const Level level :
       {Level::kRecommended, Level::kDecision, Level::kObserved}) {
    const Records otherwise({{"a/b/c", Observe(2)}}, level);
    EXPECT_THAT(Found(otherwise, {}), IsEmpty());
    EXPECT_THAT(Found(otherwise, {}, false, {level}),
                ElementsAre(fmt::format("enforced a/b/c: breaks an "
                                        "expectation of the enforced level "
                                        "{}: expected 1, observed 2",
                                        LevelName(level))));
    EXPECT_THAT(Found(passes_, {}, false, {level}), IsEmpty());
  }
}

TEST_F(DeviationCheckTest, WarningMayBeListed) {
  const Records warned({{"a/b/c", Observe(2)}}, Level::kRecommended);
  EXPECT_THAT(Found(warned, {Entry("a/b/c")}), IsEmpty());
  EXPECT_THAT(Found(warned, {Entry("a/b/c")}, false, {Level::kRecommended}),
              IsEmpty());
}

TEST_F(DeviationCheckTest, InformationalResultCannotBeListed) {
  const Records informational({{"a/b/c", Observe(2)}}, Level::kObserved);
  EXPECT_THAT(
      Found(informational, {Entry("a/b/c")}),
      ElementsAre(
          "passes_though_listed a/b/c: informational, but mini.json at "
          "$.deviations[0] lists it: remove it there, or use --update"));
}

TEST_F(DeviationCheckTest, EveryDeviationMustBeListed) {
  for (const Answer& answer : std::vector<Answer>{
           Unsupported{"data.x", ""}, Failure{"Internal", "", "data.x"},
           TimedOut{}, Crashed{"SIGBUS", ""}, ProtocolError{}}) {
    EXPECT_EQ(Found(Records{{{"a/b/c", answer}}}, {}).size(), 1u)
        << DescribeAnswer(answer);
  }
}

TEST_F(DeviationCheckTest, ProtocolErrorCannotBeListed) {
  const Records garbage{{{"a/b/c", ProtocolError{"no JSON", ""}}}};
  EXPECT_THAT(Found(garbage, {Entry("a/b/c")}),
              ElementsAre("not_listed a/b/c: protocol_error, which no entry "
                          "for mini lists, nor can list: fix the testee"));
}

TEST_F(DeviationCheckTest, ListedCaseThatPasses) {
  for (const char* pattern : {"a/b/c", "a/b/*"}) {
    EXPECT_THAT(
        Found(passes_, {Entry(pattern)}),
        ElementsAre("passes_though_listed a/b/c: passed, but mini.json at "
                    "$.deviations[0] lists it: remove it there, or use "
                    "--update"));
  }
}

TEST_F(DeviationCheckTest, EntryCoversItsCases) {
  const Records records{{{"a/b/c", Observe(2)},
                         {"a/b/d", Crashed{"SIGBUS", ""}},
                         {"a/b/e", Observe(1)}}};
  Deviation cause = Entry("a/b/c");
  cause.cases.push_back("a/b/d");
  EXPECT_THAT(Found(records, {cause}), IsEmpty());
  cause.cases.push_back("a/b/e");
  EXPECT_EQ(Found(records, {cause}).size(), 1u);
}

TEST_F(DeviationCheckTest, RecordedResultIsExpected) {
  EXPECT_THAT(FoundSince(passes_, passes_, {}), IsEmpty());
  EXPECT_THAT(FoundSince(fails_, fails_, {Entry("a/b/c")}), IsEmpty());
  const Records other{{{"a/b/d", Observe(3)}}};
  EXPECT_THAT(FoundSince(other, fails_, {Entry("a/b/c")}), IsEmpty());
}

TEST_F(DeviationCheckTest, ChangedVerdict) {
  const Records crashes{{{"a/b/c", Crashed{"SIGBUS", ""}}}};
  const char* const text =
      "verdict_changed a/b/c: crashed, but it was failed when its answers were "
      "recorded: if that is correct, --record the answers again";
  EXPECT_THAT(FoundSince(fails_, crashes, {Entry("a/b/c")}), ElementsAre(text));
  EXPECT_EQ(FoundSince(fails_, passes_, {}).size(), 1u) << "also a better one";
}

TEST_F(DeviationCheckTest, CaseThatBecomesUnsupportedIsReported) {
  const Records unsupported{{{"a/b/c", Unsupported{"data.x", "no data"}}}};
  const UnsupportedSteps steps{.steps = {"data.*"}, .reference = "here"};
  EXPECT_THAT(FoundSince(unsupported, unsupported, {}, {steps}), IsEmpty());
  EXPECT_THAT(FoundSince(passes_, unsupported, {}, {steps}),
              ElementsAre(testing::StartsWith(
                  "verdict_changed a/b/c: unsupported, but it was passed")));
  const Records of_another{{{"a/b/c", Unsupported{"data.y", "no data"}}}};
  EXPECT_THAT(
      FoundSince(of_another, unsupported, {}, {steps}),
      ElementsAre(testing::StartsWith("observation_changed a/b/c: differs")));
}

TEST_F(DeviationCheckTest, ChangedObservation) {
  const Records otherwise{{{"a/b/c", Observe(2.0000000001)}}};
  EXPECT_THAT(
      FoundSince(otherwise, fails_, {Entry("a/b/c")}),
      ElementsAre(
          "observation_changed a/b/c: differs from its recorded "
          "answers: at .observations.x: expected 2.0000000001, observed 2; "
          "if that is correct, --record the answers again"));
}

TEST_F(DeviationCheckTest, ComparesRecommendations) {
  const Records warned({{"a/b/c", Observe(2)}}, Level::kRecommended);
  const Records before({{"a/b/c", Observe(3)}}, Level::kRecommended);
  const Records passed({{"a/b/c", Observe(1)}}, Level::kRecommended);
  EXPECT_THAT(FoundSince(warned, warned, {}), IsEmpty());
  EXPECT_EQ(FoundSince(before, warned, {}).size(), 1u);
  EXPECT_EQ(FoundSince(passed, warned, {}).size(), 1u);
}

TEST_F(DeviationCheckTest, InformationalResultMayChange) {
  const Records informational({{"a/b/c", Observe(2)}}, Level::kObserved);
  const Records before({{"a/b/c", Observe(3)}}, Level::kObserved);
  EXPECT_THAT(FoundSince(before, informational, {}), IsEmpty());
}

TEST_F(DeviationCheckTest, EntryWithoutCase) {
  EXPECT_THAT(Found(passes_, {Entry("a/b/d")}),
              ElementsAre("matches_no_case a/b/d: there is no such case: "
                          "mini.json at $.deviations[0]"));
  EXPECT_THAT(Found(passes_, {Entry("a/*/d")}).size(), 1);
}

TEST_F(DeviationCheckTest, IgnoresEntriesOfCasesThatDidNotRun) {
  Deviation bad = Entry("x/y/*");
  bad.reason = "";
  EXPECT_THAT(Found(passes_, {Entry("a/b/d"), bad}, true), IsEmpty());
  EXPECT_EQ(Found(passes_, {Entry("a/b/c")}, true).size(), 1u);
}

TEST_F(DeviationCheckTest, PatternForMoreThanTwentyCases) {
  std::vector<std::pair<std::string, Answer>> answers;
  for (int i = 0; i < kMaxCasesPerPattern; ++i) {
    answers.emplace_back(fmt::format("a/b/c_{:02}", i), Observe(2));
  }
  EXPECT_THAT(Found(Records(answers), {Entry("a/b/*")}), IsEmpty());
  answers.emplace_back("a/b/c_20", Observe(2));
  EXPECT_THAT(Found(Records(answers), {Entry("a/b/*")}),
              ElementsAre("wildcard_too_wide a/b/*: matches 21 cases, at "
                          "most 20 may share a pattern: mini.json at "
                          "$.deviations[0]"));
}

TEST_F(DeviationCheckTest, EntryWithoutReasonOrReference) {
  Deviation bare = Entry("a/b/c");
  bare.reason = "";
  bare.references = {};
  EXPECT_THAT(
      Found(fails_, {bare}),
      ElementsAre("no_reason mini.json at $.deviations[0]: has no reason: "
                  "add it in the field reason",
                  "no_reference mini.json at $.deviations[0]: has no "
                  "reference: add one in the field references, or name a "
                  "script that shows it"));
  bare.script = "conformance/defects/mini/adds.py";
  EXPECT_EQ(Found(fails_, {bare}).size(), 1u);
}

TEST_F(DeviationCheckTest, TwoEntriesForACase) {
  Deviation second = Entry("a/b/*");
  second.place = "mini.json at $.deviations[1]";
  EXPECT_THAT(Found(fails_, {Entry("a/b/c"), second}),
              ElementsAre("listed_twice a/b/c: is listed by mini.json at "
                          "$.deviations[0] and by mini.json at "
                          "$.deviations[1]"));
}

TEST_F(DeviationCheckTest, CaseWithVaryingResults) {
  const Case conformance_case = OneIsOne("a/b/c");
  CaseRecord record(ResultOf(conformance_case, Observe(2)));
  record.Add(ResultOf(conformance_case, Observe(3)));
  const std::vector<Unexpected> found =
      FindUnexpected(std::span(&record, 1),
                     {.implementation = "mini", .entries = {Entry("a/b/c")}},
                     {.all = {"a/b/c"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].problem, Problem::kFlickers);
  EXPECT_EQ(found[0].text, record.flicker());
}

const Records kUnsupported{{{"a/b/c", Unsupported{"data.x", "has no data"}},
                            {"a/b/d", Unsupported{"data.y", "has no data"}},
                            {"a/b/e", Unsupported{"train.join", "has no join"}},
                            {"a/b/f", Unsupported{"", "judged for others"}}}};

Deviations ListOf(std::vector<std::string> steps) {
  return {.implementation = "mini",
          .unsupported = {{.steps = std::move(steps),
                           .reference = "https://example.org/7",
                           .place = "mini.json at $.unsupported[0]"}}};
}

std::vector<std::string> FoundUnsupported(const Deviations& deviations,
                                          bool is_partial = false) {
  return Texts(
      FindUnexpected(kUnsupported.records, deviations,
                     {.all = kUnsupported.ids(), .is_partial = is_partial}));
}

TEST(UnsupportedTest, ListedStepCoversItsCases) {
  EXPECT_THAT(FoundUnsupported(ListOf({"data.*", "train.join"})), IsEmpty());
}

TEST(UnsupportedTest, UnlistedStep) {
  EXPECT_THAT(FoundUnsupported(ListOf({"data.*"})),
              ElementsAre("not_listed a/b/e: unsupported, which no entry for "
                          "mini lists: train.join: has no join"));
}

TEST(UnsupportedTest, EntryOfTheCaseIsEnough) {
  Deviations deviations = ListOf({"data.*"});
  deviations.entries = {Entry("a/b/e")};
  EXPECT_THAT(FoundUnsupported(deviations), IsEmpty());
}

TEST(UnsupportedTest, StepThatEveryCaseSupports) {
  const Deviations deviations = ListOf({"data.*", "file.*", "train.join"});
  EXPECT_THAT(FoundUnsupported(deviations),
              ElementsAre("matches_no_case file.*: no case is unsupported for "
                          "it: mini.json at $.unsupported[0]"));
  EXPECT_THAT(FoundUnsupported(deviations, true), IsEmpty());
}

TEST(UnsupportedTest, StepsWithoutReference) {
  Deviations deviations = ListOf({"data.*", "train.join"});
  deviations.unsupported[0].reference = "";
  EXPECT_THAT(FoundUnsupported(deviations),
              ElementsAre("no_reference mini.json at $.unsupported[0]: has no "
                          "reference: add it in the field reference"));
}

}  // namespace
}  // namespace lockstep
