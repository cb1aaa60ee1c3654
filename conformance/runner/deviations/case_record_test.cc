#include "conformance/runner/deviations/case_record.h"

#include <gtest/gtest.h>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

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

TEST(CaseRecordTest, EqualRepetitionsDoNotFlicker) {
  const CaseRecord record = Repeated({Observe(1), Observe(1), Observe(1)});
  EXPECT_EQ(record.flicker(), "");
  EXPECT_EQ(record.result().verdict, Verdict::kPassed);
  EXPECT_EQ(record.id(), "a/b/c");
}

TEST(CaseRecordTest, TheRepetitionThatDiffersIsNamed) {
  EXPECT_EQ(
      Repeated({Observe(1), Observe(1), Observe(2), Observe(3)}).flicker(),
      "repetition 3 differs from the first: at .verdict: expected \"passed\", "
      "observed \"failed\"");
  EXPECT_EQ(Repeated({Observe(2), Observe(3)}).flicker(),
            "repetition 2 differs from the first: at "
            ".instead.observations.x: expected 2, observed 3");
}

TEST(CaseRecordTest, AnExpectationThatIsOnlyToldFlickersToo) {
  Case told = OneIsOne("a/b/c");
  told.expect[0].level = Level::kObserved;
  CaseRecord record(ResultOf(told, Observe(1)));
  record.Add(ResultOf(told, Observe(2)));
  EXPECT_EQ(record.result().verdict, Verdict::kPassed);
  EXPECT_NE(record.flicker(), "");
}

TEST(CaseRecordTest, ValuesThatNoExpectationPinsDownMayDiffer) {
  Case random = OneIsOne("a/b/c");
  random.expect[0].relation = Relation::kSameOnAllReplicas;
  random.expect[0].value = true;
  CaseRecord record(ResultOf(random, Observe({7, 7})));
  record.Add(ResultOf(random, Observe({8, 8})));
  EXPECT_EQ(record.flicker(), "");
  record.Add(ResultOf(random, Observe({8, 9})));
  EXPECT_NE(record.flicker(), "");
}

TEST(CaseRecordTest, TheWorstResultIsKept) {
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
