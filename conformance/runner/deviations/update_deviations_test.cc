#include "conformance/runner/deviations/update_deviations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Deviation KnownEntry(const std::string& pattern) {
  return {.kind = "by_design",
          .reason = "kept",
          .references = {"https://example.org/1"},
          .cases = {pattern}};
}

Deviations Update(const Records& records, std::vector<Deviation> entries,
                  bool is_partial = false) {
  return UpdateDeviations({.implementation = "mini", .entries = entries},
                          records.records,
                          {.all = records.ids(), .is_partial = is_partial});
}

// "cases kind reason" of each entry.
std::vector<std::string> Summaries(const Deviations& deviations) {
  std::vector<std::string> summaries;
  for (const Deviation& entry : deviations.entries) {
    summaries.push_back(fmt::format("{} {} {}", fmt::join(entry.cases, " "),
                                    entry.kind, entry.reason));
  }
  return summaries;
}

const Records kTwo{{{"a/b/c", Observe(2)}, {"a/b/d", Observe(2)}}};

TEST(DeviationUpdateTest, KeepsEntriesThatStillApply) {
  EXPECT_THAT(
      Summaries(Update(kTwo, {KnownEntry("a/b/d"), KnownEntry("a/b/c")})),
      ElementsAre("a/b/c by_design kept", "a/b/d by_design kept"));
  EXPECT_THAT(Summaries(Update(kTwo, {KnownEntry("a/b/*")})),
              ElementsAre("a/b/* by_design kept"));
}

TEST(DeviationUpdateTest, AddsDeviationsWithoutReason) {
  const Records records{{{"a/b/c", Observe(2)},
                         {"a/b/d", Observe(1)},
                         {"a/b/e", Crashed{"SIGBUS", ""}}}};
  const Deviations updated = Update(records, {});
  EXPECT_THAT(Summaries(updated),
              ElementsAre("a/b/c defect ", "a/b/e defect "));
  EXPECT_THAT(updated.entries[0].references, IsEmpty());
  EXPECT_EQ(updated.entries[0].script, "");
}

TEST(DeviationUpdateTest, GroupsEqualOutcomes) {
  const Failure at_x{"Internal", "", "data.x"};
  const Records records{{{"a/b/c", at_x},
                         {"a/b/d", Failure{"Internal", "", "data.y"}},
                         {"a/b/e", Failure{"OutOfRange", "", "data.x"}},
                         {"a/b/f", at_x},
                         {"a/b/g", Observe(2)},
                         {"a/b/h", Observe(3)},
                         {"a/b/i", TimedOut{}}}};
  EXPECT_THAT(
      Summaries(Update(records, {})),
      ElementsAre("a/b/c a/b/f defect ", "a/b/d defect ", "a/b/e defect ",
                  "a/b/g a/b/h defect ", "a/b/i defect "));
}

TEST(DeviationUpdateTest, AddsNoOtherLevels) {
  for (const Level level :
       {Level::kRecommended, Level::kDecision, Level::kObserved}) {
    const Records records({{"a/b/c", Observe(2)}}, level);
    EXPECT_THAT(Summaries(Update(records, {})), IsEmpty());
    if (level == Level::kRecommended) continue;
    EXPECT_THAT(Summaries(Update(records, {KnownEntry("a/b/c")})), IsEmpty());
  }
  const Records warned({{"a/b/c", Observe(2)}}, Level::kRecommended);
  EXPECT_THAT(Summaries(Update(warned, {KnownEntry("a/b/c")})),
              ElementsAre("a/b/c by_design kept"));
}

TEST(DeviationUpdateTest, NeverListsProtocolErrors) {
  const Records records{{{"a/b/c", ProtocolError{"no JSON", ""}},
                         {"a/b/d", ProtocolError{"no JSON", ""}}}};
  EXPECT_THAT(Summaries(Update(records, {})), IsEmpty());
  EXPECT_THAT(Summaries(Update(records, {KnownEntry("a/b/d")})),
              ElementsAre("a/b/d by_design kept"))
      << "it is unknown whether it still applies";
}

TEST(DeviationUpdateTest, RemovesStaleEntries) {
  const Records passes{{{"a/b/c", Observe(1)}}};
  EXPECT_THAT(
      Summaries(Update(passes, {KnownEntry("a/b/c"), KnownEntry("a/b/gone")})),
      IsEmpty());
}

TEST(DeviationUpdateTest, KeepsCasesInTheirEntry) {
  EXPECT_THAT(Summaries(Update(kTwo, {KnownEntry("a/b/c")})),
              ElementsAre("a/b/c by_design kept", "a/b/d defect "));
}

TEST(DeviationUpdateTest, ReplacesPatternThatPartlyApplies) {
  const Records records{
      {{"a/b/c", Observe(2)}, {"a/b/d", Observe(1)}, {"a/b/e", Observe(3)}}};
  EXPECT_THAT(Summaries(Update(records, {KnownEntry("a/b/*")})),
              ElementsAre("a/b/c a/b/e by_design kept"));
}

TEST(DeviationUpdateTest, ReplacesTooWidePattern) {
  std::vector<std::pair<std::string, Answer>> answers;
  for (int i = 0; i <= kMaxCasesPerPattern; ++i) {
    answers.emplace_back(fmt::format("a/b/c_{:02}", i), Observe(2));
  }
  const Deviations updated = Update(Records(answers), {KnownEntry("a/b/*")});
  ASSERT_EQ(updated.entries.size(), 1u);
  EXPECT_EQ(updated.entries[0].cases.size(), 21u);
}

TEST(DeviationUpdateTest, KeepsOneEntryPerCase) {
  EXPECT_THAT(
      Summaries(Update(kTwo, {KnownEntry("a/b/*"), KnownEntry("a/b/c")})),
      ElementsAre("a/b/* by_design kept"));
}

TEST(DeviationUpdateTest, KeepsEntriesOfCasesThatDidNotRun) {
  EXPECT_THAT(
      Summaries(Update(kTwo, {KnownEntry("x/y/z"), KnownEntry("a/b/*")}, true)),
      ElementsAre("a/b/* by_design kept", "x/y/z by_design kept"));
}

// Any updated list matches the run, except for missing texts.
TEST(DeviationUpdateTest, NextRunOnlyMissesTexts) {
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

// "steps: reference" of each.
std::vector<std::string> UnsupportedSummaries(const Deviations& deviations) {
  std::vector<std::string> summaries;
  for (const UnsupportedSteps& one : deviations.unsupported) {
    summaries.push_back(
        fmt::format("{}: {}", fmt::join(one.steps, " "), one.reference));
  }
  return summaries;
}

const Records kSteps{{{"a/b/c", Unsupported{"data.x", "has no data"}},
                      {"a/b/d", Unsupported{"data.y", "has no data"}},
                      {"a/b/e", Unsupported{"train.join", "has no join"}},
                      {"a/b/f", Unsupported{"", "judged for others"}}}};

std::vector<std::string> UpdatedSteps(std::vector<std::string> listed,
                                      bool is_partial = false) {
  return UnsupportedSummaries(UpdateDeviations(
      {.implementation = "mini",
       .unsupported = {{.steps = std::move(listed), .reference = "here"}}},
      kSteps.records, {.all = kSteps.ids(), .is_partial = is_partial}));
}

TEST(UnsupportedUpdateTest, KeepsReferencesAndAddsSteps) {
  EXPECT_THAT(UpdatedSteps({"data.*", "file.*"}),
              ElementsAre("data.*: here", "train.join: "));
  EXPECT_THAT(UpdatedSteps({"file.*"}),
              ElementsAre("data.x data.y train.join: "));
}

TEST(UnsupportedUpdateTest, KeepsStepsOfCasesThatDidNotRun) {
  EXPECT_THAT(UpdatedSteps({"data.*", "file.*"}, true),
              ElementsAre("data.* file.*: here", "train.join: "));
}

TEST(UnsupportedUpdateTest, RemovesEntriesOfUnsupportedCases) {
  EXPECT_THAT(Summaries(Update(kSteps, {KnownEntry("a/b/*")})), IsEmpty());
}

}  // namespace
}  // namespace lockstep
