#include "conformance/runner/output/suite_result.h"

#include <gtest/gtest.h>

#include "conformance/runner/output/suite_testing.h"

namespace lockstep {
namespace {

TEST(SuiteResultTest, SummaryCountsEveryVerdict) {
  EXPECT_EQ(Summary(ExampleSuite().suite.records),
            "2 passed, 0 unsupported, 2 failed, 0 errored, 0 timed_out, "
            "1 crashed, 0 protocol_error");
}

TEST(SuiteResultTest, IsAsExpectedWhenCompleteAndNothingIsUnexpected) {
  SuiteResult suite;
  EXPECT_TRUE(suite.AsExpected());
  suite.complete = false;
  EXPECT_FALSE(suite.AsExpected());
  EXPECT_FALSE(ExampleSuite().suite.AsExpected());
}

TEST(SuiteResultTest, KnowsWhichCasesAreUnexpected) {
  const ExampleSuite example;
  EXPECT_TRUE(example.suite.IsUnexpected("a/one/fails"));
  EXPECT_TRUE(example.suite.IsUnexpected("a/one/listed_but_passes"));
  EXPECT_FALSE(example.suite.IsUnexpected("a/one/listed"));
  EXPECT_FALSE(example.suite.IsUnexpected("a/two/passes"));
}

}  // namespace
}  // namespace lockstep
