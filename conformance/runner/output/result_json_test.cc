#include "conformance/runner/output/result_json.h"

#include <gtest/gtest.h>

#include "conformance/runner/output/suite_testing.h"

namespace lockstep {
namespace {

class ResultJsonTest : public testing::Test {
 protected:
  const ExampleSuite example_;
  const Json json_ = ToJson(example_.suite, ExampleSources());
};

TEST_F(ResultJsonTest, SaysWhatWasRunAndHowItWent) {
  EXPECT_EQ(json_["format"], 1);
  EXPECT_EQ(json_["complete"], true);
  EXPECT_EQ(json_["as_expected"], false);
  EXPECT_EQ(json_["started"], "2026-11-21T18:50:00Z");
  EXPECT_EQ(json_["duration_s"], 1.5);
  EXPECT_EQ(json_["summary"]["passed"], 2);
  EXPECT_EQ(json_["summary"]["crashed"], 1);
  EXPECT_EQ(json_["summary"].size(), kVerdicts.size());
}

TEST_F(ResultJsonTest, HoldsWhatTheTesteeDeclaredAndWhatItIsHeldTo) {
  const Json& testee = json_["testee"];
  EXPECT_EQ(testee["name"], "mini");
  EXPECT_EQ(testee["implementation"], "Mini 1.2");
  EXPECT_EQ(testee["conventions"],
            Json({{"remainder", "pad"}, {"sum_or_mean", "sum"}}));
  EXPECT_EQ(testee["declared_conventions"], Json::array({"remainder"}));
}

TEST_F(ResultJsonTest, SaysWhyTheRunIsNotAsExpected) {
  ASSERT_EQ(json_["unexpected"].size(), 4u);
  EXPECT_EQ(json_["unexpected"][0],
            Json({{"problem", "matches_no_case"},
                  {"subject", "x/y/no_case"},
                  {"text", "there is no such case: mini.json at $.entries"}}));
  EXPECT_EQ(json_["unexpected"][1]["problem"], "not_listed");
  EXPECT_EQ(json_["unexpected"][1]["subject"], "a/one/fails");
}

TEST_F(ResultJsonTest, ACaseThatFailedHasWhatWasExpectedAndObserved) {
  const Json& fails = json_["cases"][0];
  EXPECT_EQ(fails["id"], "a/one/fails");
  EXPECT_EQ(fails["cites"][0]["url"], "https://example.org/");
  EXPECT_EQ(fails["program"][0]["step"], "data.x");
  EXPECT_EQ(fails["expect"][0]["equals"], 1);
  EXPECT_EQ(fails["verdict"], "failed");
  EXPECT_EQ(fails["as_expected"], false);
  EXPECT_FALSE(fails.contains("deviation"));
  const Json& run = fails["runs"][0];
  EXPECT_EQ(run["observations"]["x"], 3);
  EXPECT_EQ(run["findings"][0],
            Json({{"expectation", 0},
                  {"level", "required"},
                  {"holds", false},
                  {"observed", 3},
                  {"difference", "expected 1, observed 3"}}));
}

TEST_F(ResultJsonTest, AListedCaseHasItsDeviation) {
  const Json& listed = json_["cases"][1];
  EXPECT_EQ(listed["verdict"], "failed");
  EXPECT_EQ(listed["as_expected"], true);
  EXPECT_EQ(listed["deviation"]["kind"], "defect");
  EXPECT_EQ(listed["deviation"]["reason"], "It adds <one> too many.");
}

TEST_F(ResultJsonTest, ACrashIsTold) {
  const Json& crashes = json_["cases"][3];
  EXPECT_EQ(crashes["verdict"], "crashed");
  EXPECT_EQ(crashes["runs"][0]["crashed"],
            Json({{"by", "SIGBUS"}, {"stderr", "last words"}}));
}

TEST_F(ResultJsonTest, AFlickerIsTold) {
  ExampleSuite example;
  example.suite.records[4].Add(ResultOf(
      *example.suite.records[4].result().conformance_case, Observe(2)));
  const Json json = ToJson(example.suite, ExampleSources());
  EXPECT_EQ(json["cases"][4]["flickers"], true);
  EXPECT_EQ(json["cases"][0]["flickers"], false);
}

}  // namespace
}  // namespace lockstep
