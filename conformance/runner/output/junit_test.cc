#include "conformance/runner/output/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/output/suite_testing.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Write(const SuiteResult& suite) {
  return ToJUnit(suite, ExampleSources());
}

TEST(JUnitTest, CountsWhatIsRed) {
  const std::string xml = Write(ExampleSuite().suite);
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"conformance of mini\" "
                             "tests=\"6\" failures=\"3\" errors=\"1\" "
                             "skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"a/one\" "
                             "timestamp=\"2026-11-21T18:50:00Z\" tests=\"3\" "
                             "failures=\"2\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\""));
}

TEST(JUnitTest, AFailureIsExplainedAndCanBeRunAgain) {
  const std::string xml = Write(ExampleSuite().suite);
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"conformance.mini.a.one\" "
                             "name=\"fails\" "
                             "file=\"conformance/cases/a/one.json\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"failed\" message=\"not_listed: "
                             "failed, which no entry for mini says\">"
                             "a/one/fails: failed (required)"));
  EXPECT_THAT(xml,
              HasSubstr("<system-out>rerun: ./bazelw run //conformance:run -- "
                        "--testee=mini --filter=a/one/fails</system-out>"));
}

TEST(JUnitTest, NoAnswerIsAnError) {
  EXPECT_THAT(
      Write(ExampleSuite().suite),
      HasSubstr("<error type=\"crashed\" message=\"not_listed: crashed"));
}

TEST(JUnitTest, AListedDeviationIsSkippedWithItsReason) {
  EXPECT_THAT(Write(ExampleSuite().suite),
              HasSubstr("<skipped message=\"failed as listed (defect): It adds "
                        "&lt;one&gt; too many.\"/>"));
}

TEST(JUnitTest, AnEntryThatIsWrongIsATestOfItsOwn) {
  EXPECT_THAT(Write(ExampleSuite().suite),
              HasSubstr("name=\"x/y/no_case matches_no_case\""));
}

TEST(JUnitTest, AnInterruptedRunIsRed) {
  SuiteResult suite;
  suite.name = "mini";
  EXPECT_THAT(Write(suite), Not(HasSubstr("failure ")));
  suite.complete = false;
  EXPECT_THAT(Write(suite), HasSubstr("name=\"complete\""));
  EXPECT_THAT(Write(suite), HasSubstr("tests=\"1\" failures=\"1\""));
}

}  // namespace
}  // namespace lockstep
