#include "conformance/runner/output/unlisted_lacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/deviations/case_testing.h"
#include "conformance/runner/output/junit.h"
#include "conformance/runner/output/report_files.h"
#include "conformance/runner/output/suite_testing.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::Not;

Answer Lacks(const std::string& step, const std::string& reason = "no time") {
  return Unsupported{.step = step, .reason = reason};
}

// Of a testee that lacks steps, some of which its list says.
class UnlistedLacksTest : public testing::Test {
 protected:
  UnlistedLacksTest() {
    example_.suite.records.insert(example_.suite.records.end(),
                                  unsupported_.records.begin(),
                                  unsupported_.records.end());
    example_.suite.deviations.unsupported = {
        {.steps = {"data.known"}, .reference = "https://example.org"}};
    example_.FindUnexpectedAgain();
  }

  const Records unsupported_{{{"u/some/a", Lacks("data.y")},
                              {"u/some/b", Lacks("data.z")},
                              {"u/some/c", Lacks("data.z")},
                              {"u/some/d", Lacks("data.z")},
                              {"u/some/e", Lacks("data.z")},
                              {"u/some/f", Lacks("data.z", "too\nhard")},
                              {"u/some/g", Lacks("", "2 workers are given")},
                              {"u/some/known", Lacks("data.known")}}};
  ExampleSuite example_;
};

TEST_F(UnlistedLacksTest, AreGroupedByStepAndReasonTheLargestFirst) {
  EXPECT_EQ(UnlistedLacks(example_.suite).Describe(),
            "unsupported, and not listed: 6 cases, by what they lack\n"
            "    4  data.z: no time\n"
            "       u/some/b, u/some/c, u/some/d, ...\n"
            "    1  data.y: no time\n"
            "       u/some/a\n"
            "    1  data.z: too\\nhard\n"
            "       u/some/f\n");
}

TEST_F(UnlistedLacksTest, AreNoOthers) {
  const UnlistedLacks lacks(example_.suite);
  EXPECT_TRUE(lacks.Contains("u/some/e"));
  for (const char* other :
       {"u/some/known", "u/some/g", "a/one/fails", "a/two/passes"}) {
    EXPECT_FALSE(lacks.Contains(other)) << other;
  }
  EXPECT_EQ(UnlistedLacks(ExampleSuite().suite).Describe(), "");
}

TEST_F(UnlistedLacksTest, AnotherProblemOfTheCaseIsNotHidden) {
  example_.suite.unexpected.push_back(
      {Problem::kFlickers, "u/some/a", "repetition 2 differs"});
  const UnlistedLacks lacks(example_.suite);
  EXPECT_FALSE(lacks.Contains("u/some/a"));
  EXPECT_THAT(lacks.Describe(), Not(HasSubstr("data.y")));
}

TEST_F(UnlistedLacksTest, MarkdownHasTheGroupsAndTheOtherFormatsEveryCase) {
  const Sources sources = ExampleSources();
  const std::string markdown = ToMarkdown(example_.suite, sources);
  EXPECT_THAT(markdown, HasSubstr("\n```\nunsupported, and not listed: 6 "));
  EXPECT_THAT(markdown, Not(HasSubstr("u/some/a: unsupported")));
  EXPECT_THAT(markdown, Not(HasSubstr("`u/some/a`")));
  EXPECT_THAT(markdown, HasSubstr("- `a/one/fails`: failed, which no entry"));
  EXPECT_THAT(markdown, HasSubstr("a/one/fails: failed (required)"));
  EXPECT_THAT(ToJUnit(example_.suite, sources),
              HasSubstr(">u/some/a: unsupported (required)"));
  const Json json = ToJson(example_.suite, sources);
  const auto of_e = std::ranges::count_if(
      json["unexpected"],
      [](const Json& one) { return one["subject"] == "u/some/e"; });
  EXPECT_EQ(of_e, 1);
}

}  // namespace
}  // namespace lockstep
