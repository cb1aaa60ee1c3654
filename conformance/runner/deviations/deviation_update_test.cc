#include "conformance/runner/deviations/deviation_update.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Deviation Entry(const std::string& id, Json x = 2) {
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
  EXPECT_THAT(Told(Update(kTwo, {Entry("a/b/d"), Entry("a/b/c")})),
              ElementsAre("a/b/c by_design kept", "a/b/d by_design kept"));
  EXPECT_THAT(Told(Update(kTwo, {Entry("a/b/*")})),
              ElementsAre("a/b/* by_design kept"));
}

TEST(DeviationUpdateTest, NewDeviationsWaitForTheirReason) {
  const Records records{{{"a/b/c", Observe(2)},
                         {"a/b/d", Observe(1)},
                         {"a/b/e", Unsupported{"data.x", "none"}}}};
  const Deviations updated = Update(records, {});
  EXPECT_THAT(Told(updated),
              ElementsAre("a/b/c defect ", "a/b/e unsupported none"));
  EXPECT_EQ(updated.entries[0].verdict, Verdict::kFailed);
  EXPECT_EQ(updated.entries[0].observed,
            Json::parse(R"({"observations": {"x": 2}})"));
  EXPECT_EQ(updated.entries[0].reference, "");
  EXPECT_EQ(updated.entries[1].reference, "");
  EXPECT_EQ(updated.entries[0].versions, "Mini 2");
}

TEST(DeviationUpdateTest, AProtocolErrorIsNeverListed) {
  const Records records{{{"a/b/c", ProtocolError{"no JSON", ""}},
                         {"a/b/d", ProtocolError{"no JSON", ""}}}};
  EXPECT_THAT(Told(Update(records, {})), IsEmpty());
  EXPECT_THAT(Told(Update(records, {Entry("a/b/d")})),
              ElementsAre("a/b/d by_design kept"))
      << "nobody knows whether it still holds";
}

TEST(DeviationUpdateTest, WhatTheDialectLeavesOutRefersToTheConventions) {
  const Records records{{{"a/b/c", Unsupported{"", "judged for others"}}}};
  const Deviations updated = Update(records, {});
  EXPECT_THAT(Told(updated),
              ElementsAre("a/b/c unsupported judged for others"));
  EXPECT_EQ(updated.entries[0].reference, "conformance/conventions.json");
}

TEST(DeviationUpdateTest, TheSameLackHasTheSameReference) {
  const Records records{{{"a/b/c", Unsupported{"data.x", "has no data"}},
                         {"a/b/d", Unsupported{"data.x", "has no data"}},
                         {"a/b/e", Unsupported{"data.x", "has no x"}}}};
  Deviation known = Entry("a/b/c");
  known.verdict = Verdict::kUnsupported;
  known.kind = "unsupported";
  known.observed = Json::parse(R"({"unsupported": {"step": "data.x"}})");
  known.reason = "has no data";
  const Deviations updated = Update(records, {known});
  ASSERT_EQ(updated.entries.size(), 3u);
  EXPECT_EQ(updated.entries[1].reference, known.reference);
  EXPECT_EQ(updated.entries[2].reference, "");
}

TEST(DeviationUpdateTest, StaleEntriesGo) {
  const Records passes{{{"a/b/c", Observe(1)}}};
  EXPECT_THAT(Told(Update(passes, {Entry("a/b/c"), Entry("a/b/gone")})),
              IsEmpty());
}

TEST(DeviationUpdateTest, AChangedObservationIsANewDeviation) {
  EXPECT_THAT(Told(Update(kTwo, {Entry("a/b/c", 3), Entry("a/b/d")})),
              ElementsAre("a/b/c defect ", "a/b/d by_design kept"));
}

TEST(DeviationUpdateTest, APatternThatHoldsForSomeBecomesTheirEntries) {
  const Records records{
      {{"a/b/c", Observe(2)}, {"a/b/d", Observe(1)}, {"a/b/e", Observe(3)}}};
  EXPECT_THAT(Told(Update(records, {Entry("a/b/*")})),
              ElementsAre("a/b/c by_design kept", "a/b/e defect "));
}

TEST(DeviationUpdateTest, APatternTooWideBecomesEntries) {
  std::vector<std::pair<std::string, Answer>> answers;
  for (int i = 0; i <= kMostCasesOfAPattern; ++i) {
    answers.emplace_back(fmt::format("a/b/c_{:02}", i), Observe(2));
  }
  EXPECT_EQ(Told(Update(Records(answers), {Entry("a/b/*")})).size(), 21u);
}

TEST(DeviationUpdateTest, OneEntryIsKeptOfTwoForACase) {
  EXPECT_THAT(Told(Update(kTwo, {Entry("a/b/*"), Entry("a/b/c")})),
              ElementsAre("a/b/* by_design kept"));
}

TEST(DeviationUpdateTest, EntriesOfCasesThatWereNotRunStay) {
  EXPECT_THAT(Told(Update(kTwo, {Entry("x/y/z"), Entry("a/b/*")}, true)),
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
        {Entry("a/b/*")},
        {Entry("a/b/d")},
        {Entry("a/b/c"), Entry("a/*/c")},
        {Entry("x/y/z")}}) {
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
