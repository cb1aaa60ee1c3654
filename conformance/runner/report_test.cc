#include "conformance/runner/report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/run_case.h"

namespace lockstep {
namespace {

Case MakeCase(const std::string& id, int expected) {
  Expectation expectation;
  expectation.observation = "x";
  expectation.value = expected;
  return {.id = id,
          .topic = "Numbers",
          .level = Level::kRequired,
          .states = "Numbers count.",
          .cites = {{"guide", "split"}},
          .given = {{"strategy", "default"}},
          .program = Json::parse(R"([{"observe": "x", "step": "data.x"}])"),
          .expect = {expectation}};
}

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    for (const Case& conformance_case : cases_) {
      results_.push_back(RunCase(conformance_case, testee_, {}));
    }
  }

  const std::vector<Case> cases_ = {MakeCase("a/one/right", 1),
                                    MakeCase("a/two/wrong", 2)};
  MiniatureTestee testee_{[](const Request&) {
    return Observations{{{"x", 1}}};
  }};
  std::vector<CaseResult> results_;
};

TEST_F(ReportTest, SummaryCountsEveryVerdict) {
  EXPECT_EQ(Summary(results_),
            "1 passed, 0 unsupported, 1 failed, 0 errored, 0 timed_out, "
            "0 crashed, 0 protocol_error");
}

TEST_F(ReportTest, JsonHoldsWhatWasExpectedAndObserved) {
  const Json json = ToJson(results_, "miniature");
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["testee"], "miniature");
  EXPECT_EQ(json["summary"]["failed"], 1);
  EXPECT_EQ(json["cases"][0]["verdict"], "passed");
  EXPECT_FALSE(json["cases"][0]["runs"][0].contains("does_not_hold"));
  const Json& wrong = json["cases"][1];
  EXPECT_EQ(wrong["id"], "a/two/wrong");
  EXPECT_EQ(wrong["cites"][0]["anchor"], "split");
  EXPECT_EQ(wrong["runs"][0]["observations"]["x"], 1);
  EXPECT_EQ(wrong["runs"][0]["does_not_hold"][0]["expected"], 2);
  EXPECT_EQ(wrong["runs"][0]["does_not_hold"][0]["difference"],
            "expected 2, observed 1");
}

TEST_F(ReportTest, MarkdownTellsOfTopicsAndOfFailures) {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/sources.json";
  std::ofstream(path)
      << R"({"sources": [{"id": "guide", "url": "https://example.org/"}]})";
  const std::string text =
      ToMarkdown(results_, "miniature", Sources::Load(path));
  EXPECT_NE(text.find("2 cases: 1 passed"), std::string::npos);
  EXPECT_NE(text.find("| a/two | 0 | 0 | 1 | 0 | 0 | 0 | 0 |"),
            std::string::npos);
  EXPECT_NE(text.find("a/two/wrong: failed (required)"), std::string::npos);
  EXPECT_NE(text.find("--testee=miniature --filter=a/two/wrong"),
            std::string::npos);
  EXPECT_EQ(text.find("a/one/right"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
