#include "conformance/runner/explain.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/run_case.h"

namespace lockstep {
namespace {

Sources MakeSources() {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/sources.json";
  std::ofstream(path)
      << R"({"sources": [{"id": "guide", "url": "https://example.org/"}]})";
  return Sources::Load(path);
}

Case MakeCase() {
  Expectation expectation;
  expectation.relation = Relation::kEquals;
  expectation.value = {2, 2};
  expectation.observation = "sizes";
  return {
      .id = "input/rebatch/split",
      .topic = "Splitting",
      .level = Level::kRequired,
      .states = "Batches are split.",
      .cites = {{"guide", "split"}},
      .given = {{"strategy", "mirrored"}, {"replicas", 2}},
      .program = Json::parse(
          R"([{"step": "data.each", "program": [{"observe": "sizes", "step": "data.sizes"}]}])"),
      .expect = {expectation}};
}

std::string Explain(Answer answer) {
  MiniatureTestee testee([&](const Request&) { return answer; });
  const Case conformance_case = MakeCase();
  const CaseResult result = RunCase(conformance_case, testee, {});
  return ExplainResult(result, MakeSources(), "./bazelw test //x");
}

TEST(ExplainTest, FailureSaysAllThatIsKnown) {
  EXPECT_EQ(Explain(Observations{{{"sizes", {2, 1}}}}),
            "input/rebatch/split: failed (required)\n"
            "  states    Batches are split.\n"
            "  cites     guide split (https://example.org/)\n"
            "  given     {\"strategy\":\"mirrored\",\"replicas\":2}\n"
            "  step      {\"observe\":\"sizes\",\"step\":\"data.sizes\"}\n"
            "  expected  sizes equals [2, 2] (required)\n"
            "  observed  [2,1]\n"
            "  differs   at [1]: expected 2, observed 1\n"
            "  rerun     ./bazelw test //x\n");
}

TEST(ExplainTest, ErrorIsNamedWithItsStep) {
  const std::string text =
      Explain(Failure{"OutOfRange", "[Next] at the end", "input.next"});
  EXPECT_NE(text.find("input/rebatch/split: errored (required)"),
            std::string::npos);
  EXPECT_NE(text.find("error     OutOfRange in input.next: [Next] at the end"),
            std::string::npos);
}

TEST(ExplainTest, WhatATesteeSaysIsCutAndObeyedByNoTerminal) {
  const std::string text = Explain(
      Failure{"OutOfRange", "\x1b[2J" + std::string(5000, 'x'), "a.b\r"});
  EXPECT_NE(text.find("OutOfRange in a.b\\x0d: \\x1b[2Jxxx"),
            std::string::npos);
  EXPECT_NE(text.find("x... (4024 bytes more)\n"), std::string::npos) << text;
  const std::string lacks = Explain(Unsupported{"a.b", "no\n\x1b[2J"});
  EXPECT_NE(lacks.find("lacks     a.b: no\\n\\x1b[2J\n"), std::string::npos);
  const std::string died = Explain(Crashed{"SIGSEGV", "one\x1b\ntwo"});
  EXPECT_NE(died.find("stderr    one\\x1b\n"), std::string::npos);
}

TEST(ExplainTest, LackOfSupportIsNamed) {
  const std::string text = Explain(Unsupported{"data.sizes", "no sizes"});
  EXPECT_NE(text.find("input/rebatch/split: unsupported"), std::string::npos);
  EXPECT_NE(text.find("lacks     data.sizes: no sizes"), std::string::npos);
}

TEST(ExplainTest, DeathIsToldWithTheLastWords) {
  const std::string text =
      Explain(Crashed{"SIGSEGV", "Fatal error\nin thread 1"});
  EXPECT_NE(text.find("input/rebatch/split: crashed (required)"),
            std::string::npos);
  EXPECT_NE(text.find("  answer    crashed by SIGSEGV\n"
                      "  stderr    Fatal error\n"
                      "            in thread 1\n"
                      "  rerun "),
            std::string::npos)
      << text;
}

TEST(ExplainTest, ALateProblemIsToldAlthoughTheExpectationsHeld) {
  MiniatureTestee testee([](const Request&) {
    return Observations{{{"sizes", {2, 2}}}};
  });
  const Case conformance_case = MakeCase();
  CaseResult result = RunCase(conformance_case, testee, {});
  result.verdict = result.runs[0].verdict = Verdict::kProtocolError;
  result.runs[0].answer = ProtocolError{"answered seq 1 twice", ""};
  EXPECT_NE(ExplainResult(result, MakeSources(), "./bazelw test //x")
                .find("protocol error: answered seq 1 twice"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
