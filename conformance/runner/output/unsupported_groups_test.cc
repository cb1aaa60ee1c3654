#include "conformance/runner/output/unsupported_groups.h"

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

Answer NotSupported(const std::string& step,
                    const std::string& reason = "no time") {
  return Unsupported{.step = step, .reason = reason};
}

// A testee that does not support some steps, of which one is listed.
class UnsupportedGroupsTest : public testing::Test {
 protected:
  UnsupportedGroupsTest() {
    example_.suite.records.insert(example_.suite.records.end(),
                                  unsupported_.records.begin(),
                                  unsupported_.records.end());
    example_.suite.deviations.unsupported = {
        {.steps = {"data.known"}, .reference = "https://example.org"}};
    example_.FindUnexpectedAgain();
  }

  const Records unsupported_{
      {{"u/some/a", NotSupported("data.y")},
       {"u/some/b", NotSupported("data.z")},
       {"u/some/c", NotSupported("data.z")},
       {"u/some/d", NotSupported("data.z")},
       {"u/some/e", NotSupported("data.z")},
       {"u/some/f", NotSupported("data.z", "too\nhard")},
       {"u/some/g", NotSupported("", "2 workers are given")},
       {"u/some/known", NotSupported("data.known")}}};
  ExampleSuite example_;
};

TEST_F(UnsupportedGroupsTest, SortsGroupsBySize) {
  EXPECT_EQ(UnsupportedGroups(example_.suite).Describe(),
            "unsupported, and not listed: 6 cases, by step\n"
            "    4  data.z: no time\n"
            "       u/some/b, u/some/c, u/some/d, ...\n"
            "    1  data.y: no time\n"
            "       u/some/a\n"
            "    1  data.z: too\\nhard\n"
            "       u/some/f\n");
}

TEST_F(UnsupportedGroupsTest, ContainsNoOtherCases) {
  const UnsupportedGroups groups(example_.suite);
  EXPECT_TRUE(groups.Contains("u/some/e"));
  for (const char* other :
       {"u/some/known", "u/some/g", "a/one/fails", "a/two/passes"}) {
    EXPECT_FALSE(groups.Contains(other)) << other;
  }
  EXPECT_EQ(UnsupportedGroups(ExampleSuite().suite).Describe(), "");
}

TEST_F(UnsupportedGroupsTest, DoesNotHideOtherProblems) {
  example_.suite.unexpected.push_back(
      {Problem::kFlickers, "u/some/a", "repetition 2 differs"});
  const UnsupportedGroups groups(example_.suite);
  EXPECT_FALSE(groups.Contains("u/some/a"));
  EXPECT_THAT(groups.Describe(), Not(HasSubstr("data.y")));
}

TEST_F(UnsupportedGroupsTest, MarkdownHasGroupsOthersEveryCase) {
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
