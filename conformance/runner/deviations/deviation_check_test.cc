#include "conformance/runner/deviations/deviation_check.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/deviations/case_testing.h"
#include "conformance/runner/deviations/update_deviations.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Deviation Entry(const std::string& id, Json x = 2) {
  return {.id = id,
          .verdict = Verdict::kFailed,
          .kind = "defect",
          .observed = {{"observations", {{"x", std::move(x)}}}},
          .reason = "It adds one too many.",
          .reference = "https://example.org/1",
          .versions = "1.2",
          .place = "mini.json at $.entries[0]"};
}

class DeviationCheckTest : public testing::Test {
 protected:
  // "problem subject: text" of each.
  std::vector<std::string> Found(const Records& records,
                                 std::vector<Deviation> entries,
                                 bool only_a_part = false,
                                 std::vector<Level> enforced = {}) const {
    std::vector<std::string> texts;
    for (const Unexpected& unexpected : FindUnexpected(
             records.records, {.implementation = "mini", .entries = entries},
             {.all = records.ids(), .only_a_part = only_a_part}, enforced)) {
      texts.push_back(fmt::format("{} {}: {}", ProblemName(unexpected.problem),
                                  unexpected.subject, unexpected.text));
    }
    return texts;
  }

  const Records passes_{{{"a/b/c", Observe(1)}}};
  const Records fails_{{{"a/b/c", Observe(2)}}};
};

// Else a result that has such a problem could not be read.
TEST(ProblemTest, ResultsMayNameEach) {
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

TEST_F(DeviationCheckTest, NothingIsUnexpectedWhereAllIsAsListed) {
  EXPECT_THAT(Found(passes_, {}), IsEmpty());
  EXPECT_THAT(Found(fails_, {Entry("a/b/c")}), IsEmpty());
  EXPECT_THAT(Found(fails_, {Entry("a/*/*")}), IsEmpty());
}

TEST_F(DeviationCheckTest, AFailureNobodyListed) {
  EXPECT_THAT(Found(fails_, {}),
              ElementsAre("not_listed a/b/c: failed, which no entry for mini "
                          "says"));
}

TEST_F(DeviationCheckTest, WhatIsNotRequiredNeedsNoEntry) {
  for (const Level level :
       {Level::kRecommended, Level::kDecision, Level::kObserved}) {
    const Records otherwise({{"a/b/c", Observe(2)}}, level);
    EXPECT_THAT(Found(otherwise, {}), IsEmpty());
    EXPECT_THAT(Found(otherwise, {}, false, {level}),
                ElementsAre(fmt::format("enforced a/b/c: does not do what is "
                                        "{}, which is enforced: expected 1, "
                                        "observed 2",
                                        LevelName(level))));
    EXPECT_THAT(Found(passes_, {}, false, {level}), IsEmpty());
  }
}

TEST_F(DeviationCheckTest, AListedWarningHasToBeExact) {
  const Records warned({{"a/b/c", Observe(2)}}, Level::kRecommended);
  Deviation entry = Entry("a/b/c");
  entry.verdict = Verdict::kWarned;
  EXPECT_THAT(Found(warned, {entry}), IsEmpty());
  EXPECT_THAT(Found(warned, {entry}, false, {Level::kRecommended}), IsEmpty());
  entry.observed["observations"]["x"] = 3;
  EXPECT_THAT(Found(warned, {entry}),
              ElementsAre("observation_changed a/b/c: is not what mini.json at "
                          "$.entries[0] lists: at .observations.x: expected 3, "
                          "observed 2"));
}

TEST_F(DeviationCheckTest, WhatIsToldCannotBeListed) {
  const Records told({{"a/b/c", Observe(2)}}, Level::kObserved);
  EXPECT_THAT(Found(told, {Entry("a/b/c")}),
              ElementsAre("passes_though_listed a/b/c: told, but mini.json at "
                          "$.entries[0] lists it as failed"));
}

TEST_F(DeviationCheckTest, EveryVerdictThatIsADeviationIsToBeListed) {
  for (const Answer& answer : std::vector<Answer>{
           Unsupported{"data.x", ""}, Failure{"Internal", "", "data.x"},
           TimedOut{}, Crashed{"SIGBUS", ""}, ProtocolError{}}) {
    EXPECT_EQ(Found(Records{{{"a/b/c", answer}}}, {}).size(), 1u)
        << DescribeAnswer(answer);
  }
}

TEST_F(DeviationCheckTest, AListedCaseThatPasses) {
  EXPECT_THAT(Found(passes_, {Entry("a/b/c")}),
              ElementsAre("passes_though_listed a/b/c: passed, but mini.json "
                          "at $.entries[0] lists it as failed"));
}

TEST_F(DeviationCheckTest, AnotherVerdictThanListed) {
  const Records crashes{{{"a/b/c", Crashed{"SIGBUS", ""}}}};
  EXPECT_THAT(Found(crashes, {Entry("a/b/c")}),
              ElementsAre("verdict_changed a/b/c: crashed, but mini.json at "
                          "$.entries[0] lists it as failed"));
}

TEST_F(DeviationCheckTest, AnotherObservationThanListed) {
  EXPECT_THAT(Found(fails_, {Entry("a/b/c", 2.0000000001)}),
              ElementsAre("observation_changed a/b/c: is not what mini.json at "
                          "$.entries[0] lists: at .observations.x: expected "
                          "2.0000000001, observed 2"));
}

TEST_F(DeviationCheckTest, AnEntryOfNoCase) {
  EXPECT_THAT(Found(passes_, {Entry("a/b/d")}),
              ElementsAre("matches_no_case a/b/d: there is no such case: "
                          "mini.json at $.entries[0]"));
  EXPECT_THAT(Found(passes_, {Entry("a/*/d")}).size(), 1);
}

TEST_F(DeviationCheckTest, EntriesOfOtherCasesWaitWhereOnlyAPartWasRun) {
  Deviation bad = Entry("x/y/*");
  bad.reason = "";
  EXPECT_THAT(Found(passes_, {Entry("a/b/d"), bad}, true), IsEmpty());
  EXPECT_EQ(Found(passes_, {Entry("a/b/c")}, true).size(), 1u);
}

TEST_F(DeviationCheckTest, APatternForMoreThanTwentyCases) {
  std::vector<std::pair<std::string, Answer>> answers;
  for (int i = 0; i < kMostCasesOfAPattern; ++i) {
    answers.emplace_back(fmt::format("a/b/c_{:02}", i), Observe(2));
  }
  EXPECT_THAT(Found(Records(answers), {Entry("a/b/*")}), IsEmpty());
  answers.emplace_back("a/b/c_20", Observe(2));
  EXPECT_THAT(Found(Records(answers), {Entry("a/b/*")}),
              ElementsAre("wildcard_too_wide a/b/*: stands for 21 cases, at "
                          "most 20 may share an entry: mini.json at "
                          "$.entries[0]"));
}

TEST_F(DeviationCheckTest, AnEntryWithoutReasonOrReference) {
  Deviation bare = Entry("a/b/c");
  bare.reason = bare.reference = "";
  EXPECT_THAT(Found(fails_, {bare}),
              ElementsAre("no_reason a/b/c: has no reason: write it to "
                          "mini.json at $.entries[0].reason",
                          "no_reference a/b/c: has no reference: write it to "
                          "mini.json at $.entries[0].reference"));
}

TEST_F(DeviationCheckTest, TwoEntriesForACase) {
  EXPECT_THAT(
      Found(fails_, {Entry("a/b/c"), Entry("a/b/*")}),
      ElementsAre("listed_twice a/b/c: is matched by 'a/b/c' (mini.json "
                  "at $.entries[0]) and by 'a/b/*' (mini.json at "
                  "$.entries[0])"));
}

TEST_F(DeviationCheckTest, ACaseThatFlickers) {
  const Case conformance_case = OneIsOne("a/b/c");
  CaseRecord record(ResultOf(conformance_case, Observe(2)));
  record.Add(ResultOf(conformance_case, Observe(3)));
  const std::vector<Unexpected> found = FindUnexpected(
      {record}, {.implementation = "mini", .entries = {Entry("a/b/c")}},
      {.all = {"a/b/c"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].problem, Problem::kFlickers);
  EXPECT_EQ(found[0].text, record.flicker());
}

Deviation KnownEntry(const std::string& id, Json x = 2) {
  return {.id = id,
          .verdict = Verdict::kFailed,
          .kind = "by_design",
          .observed = {{"observations", {{"x", std::move(x)}}}},
          .reason = "kept",
          .reference = "https://example.org/1",
          .versions = "1.2"};
}

Deviations Update(const Records& records, std::vector<Deviation> entries,
                  bool only_a_part = false) {
  return UpdateDeviations(
      {.implementation = "mini", .entries = entries}, records.records,
      {.all = records.ids(), .only_a_part = only_a_part}, "Mini 2");
}

// "id kind reason" of each entry.
std::vector<std::string> Told(const Deviations& deviations) {
  std::vector<std::string> told;
  for (const Deviation& entry : deviations.entries) {
    told.push_back(fmt::format("{} {} {}", entry.id, entry.kind, entry.reason));
  }
  return told;
}

const Records kTwo{{{"a/b/c", Observe(2)}, {"a/b/d", Observe(2)}}};

TEST(DeviationUpdateTest, WhatStillHoldsIsKeptWithItsTexts) {
  EXPECT_THAT(Told(Update(kTwo, {KnownEntry("a/b/d"), KnownEntry("a/b/c")})),
              ElementsAre("a/b/c by_design kept", "a/b/d by_design kept"));
  EXPECT_THAT(Told(Update(kTwo, {KnownEntry("a/b/*")})),
              ElementsAre("a/b/* by_design kept"));
}

TEST(DeviationUpdateTest, NewDeviationsWaitForTheirReason) {
  const Records records{{{"a/b/c", Observe(2)},
                         {"a/b/d", Observe(1)},
                         {"a/b/e", Crashed{"SIGBUS", ""}}}};
  const Deviations updated = Update(records, {});
  EXPECT_THAT(Told(updated), ElementsAre("a/b/c defect ", "a/b/e defect "));
  EXPECT_EQ(updated.entries[0].verdict, Verdict::kFailed);
  EXPECT_EQ(updated.entries[0].observed,
            Json::parse(R"({"observations": {"x": 2}})"));
  EXPECT_EQ(updated.entries[0].reference, "");
  EXPECT_EQ(updated.entries[1].reference, "");
  EXPECT_EQ(updated.entries[0].versions, "Mini 2");
}

TEST(DeviationUpdateTest, WhatIsOnlyAdvisedOrToldGetsNoNewEntry) {
  for (const Level level :
       {Level::kRecommended, Level::kDecision, Level::kObserved}) {
    const Records records({{"a/b/c", Observe(2)}}, level);
    EXPECT_THAT(Told(Update(records, {})), IsEmpty());
    EXPECT_THAT(Told(Update(records, {KnownEntry("a/b/c")})), IsEmpty());
  }
  const Records warned({{"a/b/c", Observe(2)}}, Level::kRecommended);
  Deviation entry = KnownEntry("a/b/c");
  entry.verdict = Verdict::kWarned;
  EXPECT_THAT(Told(Update(warned, {entry})),
              ElementsAre("a/b/c by_design kept"));
}

TEST(DeviationUpdateTest, AProtocolErrorIsNeverListed) {
  const Records records{{{"a/b/c", ProtocolError{"no JSON", ""}},
                         {"a/b/d", ProtocolError{"no JSON", ""}}}};
  EXPECT_THAT(Told(Update(records, {})), IsEmpty());
  EXPECT_THAT(Told(Update(records, {KnownEntry("a/b/d")})),
              ElementsAre("a/b/d by_design kept"))
      << "nobody knows whether it still holds";
}

TEST(DeviationUpdateTest, WhatTheDialectLeavesOutRefersToTheConventions) {
  const Records records{{{"a/b/c", Unsupported{"", "judged for others"}}}};
  const Deviations updated = Update(records, {});
  EXPECT_THAT(updated.entries, IsEmpty());
  ASSERT_EQ(updated.lacks.size(), 1);
  EXPECT_EQ(updated.lacks[0].Name(), "judged for others");
  EXPECT_EQ(updated.lacks[0].reference, "conformance/conventions.json");
}

// "step: reason, cases, reference, versions" of each.
std::vector<std::string> ToldLacks(const Deviations& deviations) {
  std::vector<std::string> told;
  for (const Lack& lack : deviations.lacks) {
    told.push_back(fmt::format("{}, {}, {}, {}", lack.Name(), lack.cases,
                               lack.reference, lack.versions));
  }
  return told;
}

const Records kLacking{{{"a/b/c", Unsupported{"data.x", "has no data"}},
                        {"a/b/d", Unsupported{"data.x", "has no data"}},
                        {"a/b/e", Unsupported{"data.x", "has no x"}}}};

TEST(DeviationUpdateTest, ALackIsSaidOnceWithTheReferenceOfAnEntry) {
  Deviation known = KnownEntry("a/b/c");
  known.verdict = Verdict::kUnsupported;
  known.kind = "unsupported";
  known.observed = Json::parse(R"({"unsupported": {"step": "data.x"}})");
  known.reason = "has no data";
  const Deviations updated = Update(kLacking, {known});
  EXPECT_THAT(updated.entries, IsEmpty());
  EXPECT_THAT(
      ToldLacks(updated),
      ElementsAre("data.x: has no data, 2, https://example.org/1, Mini 2",
                  "data.x: has no x, 1, , Mini 2"));
}

Deviations KnownLacks(int64_t of_data, int64_t of_x) {
  const auto lack = [](const char* reason, int64_t cases) {
    return Lack{.step = "data.x",
                .reason = reason,
                .reference = "https://example.org/7",
                .versions = "1.2",
                .cases = cases,
                .place = "mini.json at $.lacks"};
  };
  return {.implementation = "mini",
          .lacks = {lack("has no data", of_data), lack("has no x", of_x)}};
}

std::vector<std::string> FoundLacks(const Records& records,
                                    const Deviations& deviations,
                                    bool only_a_part = false) {
  std::vector<std::string> texts;
  for (const Unexpected& unexpected :
       FindUnexpected(records.records, deviations,
                      {.all = records.ids(), .only_a_part = only_a_part})) {
    texts.push_back(fmt::format("{} {}: {}", ProblemName(unexpected.problem),
                                unexpected.subject, unexpected.text));
  }
  return texts;
}

TEST(LacksTest, ACaseThatALackExplainsNeedsNoEntry) {
  EXPECT_THAT(FoundLacks(kLacking, KnownLacks(2, 1)), IsEmpty());
}

TEST(LacksTest, AnotherNumberOfCasesIsTold) {
  EXPECT_THAT(FoundLacks(kLacking, KnownLacks(1, 1)),
              ElementsAre("lack_changed data.x: has no data: 2 cases are "
                          "unsupported for it, but mini.json at $.lacks says "
                          "1"));
  EXPECT_THAT(FoundLacks(kLacking, KnownLacks(1, 1), true), IsEmpty());
}

TEST(LacksTest, AnotherReasonNeedsALackOfItsOwn) {
  Deviations lacks = KnownLacks(2, 1);
  lacks.lacks.pop_back();
  EXPECT_THAT(FoundLacks(kLacking, lacks),
              ElementsAre("not_listed a/b/e: unsupported, which no entry for "
                          "mini says"));
}

TEST(LacksTest, ALackWithoutReferenceIsTold) {
  Deviations lacks = KnownLacks(2, 1);
  lacks.lacks[1].reference = "";
  EXPECT_THAT(FoundLacks(kLacking, lacks),
              ElementsAre("no_reference data.x: has no x: has no reference: "
                          "write it to mini.json at $.lacks.reference"));
}

TEST(LacksTest, AnUpdateKeepsReferencesAndCountsAnew) {
  const auto update = [](bool only_a_part) {
    return ToldLacks(UpdateDeviations(
        KnownLacks(7, 1), kLacking.records,
        {.all = kLacking.ids(), .only_a_part = only_a_part}, "1.3"));
  };
  EXPECT_THAT(update(false),
              ElementsAre("data.x: has no data, 2, https://example.org/7, 1.2",
                          "data.x: has no x, 1, https://example.org/7, 1.2"));
  EXPECT_THAT(update(true),
              ElementsAre("data.x: has no data, 7, https://example.org/7, 1.2",
                          "data.x: has no x, 1, https://example.org/7, 1.2"));
}

TEST(LacksTest, ACaseIsKnownByItsLack) {
  const auto known = KnownLacks(2, 1).FindFor(kLacking.records[0].result());
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->kind, "unsupported");
  EXPECT_EQ(known->reason, "has no data");
  const Records other{{{"a/b/c", Unsupported{"data.y", "has no data"}}}};
  EXPECT_FALSE(KnownLacks(2, 1).FindFor(other.records[0].result()));
}

TEST(LacksTest, WrittenLacksAreRead) {
  const Deviations lacks = KnownLacks(2, 1);
  EXPECT_EQ(ReadDeviations(lacks.ToJson(), "mini.json").ToJson(),
            lacks.ToJson());
}

TEST(DeviationUpdateTest, StaleEntriesGo) {
  const Records passes{{{"a/b/c", Observe(1)}}};
  EXPECT_THAT(
      Told(Update(passes, {KnownEntry("a/b/c"), KnownEntry("a/b/gone")})),
      IsEmpty());
}

TEST(DeviationUpdateTest, AChangedObservationIsANewDeviation) {
  EXPECT_THAT(Told(Update(kTwo, {KnownEntry("a/b/c", 3), KnownEntry("a/b/d")})),
              ElementsAre("a/b/c defect ", "a/b/d by_design kept"));
}

TEST(DeviationUpdateTest, APatternThatHoldsForSomeBecomesTheirEntries) {
  const Records records{
      {{"a/b/c", Observe(2)}, {"a/b/d", Observe(1)}, {"a/b/e", Observe(3)}}};
  EXPECT_THAT(Told(Update(records, {KnownEntry("a/b/*")})),
              ElementsAre("a/b/c by_design kept", "a/b/e defect "));
}

TEST(DeviationUpdateTest, APatternTooWideBecomesEntries) {
  std::vector<std::pair<std::string, Answer>> answers;
  for (int i = 0; i <= kMostCasesOfAPattern; ++i) {
    answers.emplace_back(fmt::format("a/b/c_{:02}", i), Observe(2));
  }
  EXPECT_EQ(Told(Update(Records(answers), {KnownEntry("a/b/*")})).size(), 21u);
}

TEST(DeviationUpdateTest, OneEntryIsKeptOfTwoForACase) {
  EXPECT_THAT(Told(Update(kTwo, {KnownEntry("a/b/*"), KnownEntry("a/b/c")})),
              ElementsAre("a/b/* by_design kept"));
}

TEST(DeviationUpdateTest, EntriesOfCasesThatWereNotRunStay) {
  EXPECT_THAT(
      Told(Update(kTwo, {KnownEntry("x/y/z"), KnownEntry("a/b/*")}, true)),
      ElementsAre("a/b/* by_design kept", "x/y/z by_design kept"));
}

// Whatever the list was, an updated one agrees with the run but for the texts.
TEST(DeviationUpdateTest, TheNextRunAsksForTextsAndNothingElse) {
  const Records records{{{"a/b/c", Observe(2)},
                         {"a/b/d", Observe(1)},
                         {"a/b/e", Crashed{"SIGBUS", ""}}}};
  const CaseIds ids{.all = records.ids()};
  for (const std::vector<Deviation>& entries :
       {std::vector<Deviation>{},
        {KnownEntry("a/b/*")},
        {KnownEntry("a/b/d")},
        {KnownEntry("a/b/c"), KnownEntry("a/*/c")},
        {KnownEntry("x/y/z")}}) {
    for (const Unexpected& unexpected :
         FindUnexpected(records.records, Update(records, entries), ids)) {
      EXPECT_TRUE(unexpected.problem == Problem::kNoReason ||
                  unexpected.problem == Problem::kNoReference)
          << ProblemName(unexpected.problem) << " " << unexpected.subject;
    }
  }
}

}  // namespace
}  // namespace lockstep
