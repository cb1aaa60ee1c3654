#include "conformance/runner/output/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/output/suite_testing.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MarkdownTest, TellsOfTopicsFailuresAndKnownDeviations) {
  const std::string text = ToMarkdown(ExampleSuite().suite, ExampleSources());
  EXPECT_THAT(text, HasSubstr("# Conformance of mini\n\nMini 1.2: 5 cases: "
                              "2 passed"));
  EXPECT_THAT(text, HasSubstr("| a/one | 1 | 0 | 2 | 0 | 0 | 0 | 0 |"));
  EXPECT_THAT(text, HasSubstr("- `a/one/fails`: failed, which no entry"));
  EXPECT_THAT(text, HasSubstr("- `x/y/no_case`: there is no such case"));
  EXPECT_THAT(text, HasSubstr("a/one/fails: failed (required)"));
  EXPECT_THAT(text, HasSubstr("--testee=mini --filter=a/one/fails"));
  EXPECT_THAT(text, HasSubstr("| a/one/listed | failed | defect | It adds "
                              "<one> too many. | https://example.org/1 |"));
  EXPECT_THAT(text, Not(HasSubstr("a/two/passes")));
}

TEST(MarkdownTest, SaysWhenAllIsAsExpectedAndWhenNot) {
  SuiteResult suite;
  EXPECT_THAT(ToMarkdown(suite, ExampleSources()),
              HasSubstr("Everything is as expected."));
  suite.complete = false;
  EXPECT_THAT(ToMarkdown(suite, ExampleSources()),
              HasSubstr("Incomplete: the run was interrupted."));
}

}  // namespace
}  // namespace lockstep
