#include "conformance/runner/verdicts/explain.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/verdicts/compare.h"
#include "conformance/runner/verdicts/run_case.h"

namespace lockstep {
namespace {

Json J(const char* text) { return Json::parse(text); }

TEST(CompareTest, EqualValuesDoNotDiffer) {
  for (const char* text :
       {"1", "1.5", "true", "null", "\"NaN\"", "[]", "[[1,2],[]]",
        R"({"a":1,"b":[2]})", "9007199254740993"}) {
    EXPECT_EQ(DiffEquals(J(text), J(text)), std::nullopt) << text;
  }
}

TEST(CompareTest, NumbersAreComparedByValue) {
  EXPECT_EQ(DiffEquals(J("1"), J("1.0")), std::nullopt);
  EXPECT_EQ(DiffEquals(J("0"), J("-0.0")), std::nullopt);
  EXPECT_EQ(DiffEquals(J("1"), J("1.0000000001")),
            "expected 1, observed 1.0000000001");
}

TEST(CompareTest, LargeIntegersAreExact) {
  EXPECT_EQ(DiffEquals(J("9007199254740993"), J("9007199254740992")),
            "expected 9007199254740993, observed 9007199254740992");
}

TEST(CompareTest, KindsDiffer) {
  EXPECT_EQ(DiffEquals(J("1"), J("true")), "expected 1, observed true");
  EXPECT_EQ(DiffEquals(J("0"), J("null")), "expected 0, observed null");
  EXPECT_EQ(DiffEquals(J("[1]"), J("1")), "expected [1], observed 1");
  EXPECT_EQ(DiffEquals(J("\"NaN\""), J("0")), "expected \"NaN\", observed 0");
}

TEST(CompareTest, DifferenceNamesItsPlace) {
  EXPECT_EQ(DiffEquals(J("[[2,2],[1,1]]"), J("[[2,2],[2,0]]")),
            "at [1][0]: expected 1, observed 2");
  EXPECT_EQ(DiffEquals(J(R"([{"a":[1]}])"), J(R"([{"a":[3]}])")),
            "at [0].a[0]: expected 1, observed 3");
}

TEST(CompareTest, ListsOfUnequalLengthDiffer) {
  EXPECT_EQ(DiffEquals(J("[[1],[2]]"), J("[[1],[2,3]]")),
            "at [1]: expected 1 entries, observed 2");
  EXPECT_EQ(DiffEquals(J("[]"), J("[[]]")), "expected 0 entries, observed 1");
}

TEST(CompareTest, ObjectsOfUnequalKeysDiffer) {
  EXPECT_EQ(DiffEquals(J(R"({"a":1,"b":2})"), J(R"({"a":1})")),
            "at .b: expected 2, observed nothing");
  EXPECT_EQ(DiffEquals(J(R"({"a":1})"), J(R"({"a":1,"b":2})")),
            "at .b: expected nothing, observed 2");
  EXPECT_EQ(DiffEquals(J(R"({"a":1,"b":2})"), J(R"({"b":2,"a":1})")),
            std::nullopt);
}

TEST(CompareTest, CloseKeepsItsTolerance) {
  EXPECT_EQ(DiffClose(J("[100]"), J("[101]"), 0.01, 0), std::nullopt);
  EXPECT_NE(DiffClose(J("[100]"), J("[101.1]"), 0.01, 0), std::nullopt);
  EXPECT_EQ(DiffClose(J("-2"), J("-2.5"), 0, 0.5), std::nullopt);
  EXPECT_NE(DiffClose(J("-2"), J("-2.6"), 0, 0.5), std::nullopt);
}

TEST(CompareTest, NotANumberIsCloseToItselfOnly) {
  EXPECT_EQ(DiffClose(J("\"NaN\""), J("\"NaN\""), 1, 1), std::nullopt);
  EXPECT_NE(DiffClose(J("\"NaN\""), J("1"), 1, 1), std::nullopt);
  EXPECT_NE(DiffClose(J("1"), J("\"Infinity\""), 1, 1), std::nullopt);
}

TEST(CompareTest, MultisetIgnoresOrderAndGrouping) {
  EXPECT_EQ(DiffSameMultiset(J("[1,2,2,3]"), J("[[2,3],[],[[1],[2]]]")),
            std::nullopt);
  EXPECT_EQ(DiffSameMultiset(J("[]"), J("[[],[]]")), std::nullopt);
  EXPECT_EQ(DiffSameMultiset(J("[\"a\",1]"), J("[1,\"a\"]")), std::nullopt);
  EXPECT_EQ(DiffSameMultiset(J("[1,2]"), J("[[2],[1],null]")), std::nullopt);
}

TEST(CompareTest, MultisetCounts) {
  EXPECT_EQ(DiffSameMultiset(J("[1,2,3]"), J("[1,2]")),
            "3 occurs less often than expected");
  EXPECT_EQ(DiffSameMultiset(J("[1,2]"), J("[1,2,2]")),
            "2 occurs more often than expected");
  EXPECT_EQ(DiffSameMultiset(J("[1,3]"), J("[1,2,3]")),
            "2 occurs more often than expected");
  EXPECT_EQ(DiffSameMultiset(J("[1,2,3]"), J("[1,1,3]")),
            "1 occurs more often than expected");
}

TEST(CompareTest, ComparesIntegersExactly) {
  EXPECT_NE(DiffEquals(J("18446744073709551615"), J("-1")), std::nullopt);
  EXPECT_NE(DiffEquals(J("9007199254740993"), J("9007199254740992.0")),
            std::nullopt);
  EXPECT_EQ(DiffEquals(J("9007199254740992"), J("9007199254740992.0")),
            std::nullopt);
  EXPECT_EQ(DiffSameMultiset(J("[9007199254740993, 9007199254740992.0, -1,"
                               " 18446744073709551615]"),
                             J("[-1, 18446744073709551615, 9007199254740992.0,"
                               " 9007199254740993]")),
            std::nullopt);
}

TEST(CompareTest, DifferenceIsOneReadableLine) {
  const std::string text =
      DiffEquals(J("1"), Json(std::string(5000, 'x') + "\u009b")).value();
  EXPECT_EQ(text.find("expected 1, observed \"xxx"), 0u);
  EXPECT_LT(text.size(), 1100u);
  EXPECT_EQ(DiffEquals(J("1"), Json("\u009b2J")),
            "expected 1, observed \"\\u009b2J\"");
}

TEST(CompareTest, MultiplesOfANumber) {
  EXPECT_EQ(DiffMultipleOf(3, J("[0,[3],6.0,-9]")), std::nullopt);
  EXPECT_EQ(DiffMultipleOf(3, J("[3,4]")), "4 is not a multiple of 3");
  EXPECT_EQ(DiffMultipleOf(3, J("\"NaN\"")), "\"NaN\" is not a multiple of 3");
  EXPECT_EQ(DiffMultipleOf(3, J("[]")), "there is no number");
}

TEST(CompareTest, SameOnAllReplicas) {
  EXPECT_EQ(DiffSameOnAllReplicas(J("[[1,2],[1,2],[1,2]]"), 3), std::nullopt);
  EXPECT_EQ(DiffSameOnAllReplicas(J("[[1,2],[1,2],[1,3]]"), 3),
            "replica 2 differs from replica 0: at [1]: expected 2, observed 3");
  EXPECT_EQ(DiffSameOnAllReplicas(J("[[1,2]]"), 2),
            "expected one entry for each of 2 replicas, observed [[1,2]]");
  EXPECT_EQ(DiffSameOnAllReplicas(J("7"), 1),
            "expected one entry for each of 1 replicas, observed 7");
}

TEST(CompareTest, SameOnAllReplicasInEachRound) {
  EXPECT_EQ(DiffSameOnAllReplicasInEachRound(J("[[1,1],[2,2]]"), 2),
            std::nullopt);
  EXPECT_EQ(DiffSameOnAllReplicasInEachRound(J("[[1,1],[2,1]]"), 2),
            "round 1: replica 1 differs from replica 0: expected 2, observed "
            "1");
  EXPECT_EQ(DiffSameOnAllReplicasInEachRound(J("[]"), 2),
            "expected a list of rounds, observed []");
}

Sources MakeSources() {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/sources.json";
  std::ofstream(path)
      << R"({"sources": [{"id": "guide", "url": "https://example.org/g"},
            {"id": "code", "url": "https://example.org/p/tree/v1"}]})";
  return Sources::Load(path);
}

Expectation Expect(Relation relation, Json value) {
  Expectation expectation;
  expectation.relation = relation;
  expectation.observation = "x";
  expectation.value = std::move(value);
  return expectation;
}

TEST(DescribeCaseTest, ReadsAsAProgram) {
  Case conformance_case{
      .id = "input/rebatch/split",
      .topic = "Splitting",
      .level = Level::kRequired,
      .states = "Batches are split.",
      .cites = {{"guide", "split"}, {"code", "src/split.py"}},
      .given = {{"strategy", "mirrored"}, {"replicas", {1, 2}}},
      .program = Json::parse(R"([
        {"let": "numbers", "step": "data.range", "stop": 6},
        {"let": "batches", "step": "data.batch", "of": "numbers", "size": 4},
        {"let": "sums", "step": "data.each", "of": "batches", "as": "batch",
         "args": {"a": "numbers", "b": [1, true]}, "program": [
          {"observe": "seen", "let": "sum", "step": "data.sum", "of": "batch"}],
         "return": "sum"}])"),
      .expect = {Expect(Relation::kEquals, {{2, 2}, {1, 1}})}};
  conformance_case.expect[0].when = {{"remainder", {"split"}}};
  conformance_case.expect[0].level = Level::kRecommended;
  conformance_case.expect[0].because = "it rounds twice";
  EXPECT_EQ(DescribeCase(conformance_case, MakeSources()),
            "input/rebatch/split (required)\n"
            "  Batches are split.\n"
            "documented\n"
            "  guide split: https://example.org/g\n"
            "  code src/split.py: https://example.org/p/tree/v1/src/split.py\n"
            "given\n"
            "  a mirrored strategy with [1, 2] replicas\n"
            "program\n"
            "  numbers = data.range(stop: 6)\n"
            "  batches = data.batch(numbers, size: 4)\n"
            "  sums = data.each(batches, args: {a: numbers, b: [1, true]}) as "
            "batch:\n"
            "    observe seen = sum = data.sum(batch)\n"
            "    return sum\n"
            "expected\n"
            "  x equals [[2, 2], [1, 1]] when remainder: split (recommended); "
            "it rounds twice\n");
}

TEST(DescribeCaseTest, EveryRelation) {
  Expectation close = Expect(Relation::kClose, 1.5);
  close.rtol = 0.5;
  close.atol = 2;
  EXPECT_EQ(DescribeExpectation(close), "x close 1.5, rtol 0.5, atol 2");
  Expectation error = Expect(Relation::kError, "OutOfRange");
  error.observation = "";
  error.at_steps = {"data.x"};
  EXPECT_EQ(DescribeExpectation(error), "error \"OutOfRange\" in data.x");
  error.at_steps = {"data.x", "data.y"};
  EXPECT_EQ(DescribeExpectation(error),
            "error \"OutOfRange\" in data.x or data.y");
  Expectation same = Expect(Relation::kSameAs, Json::object());
  same.other_observation = "x";
  same.other_given = {{"replicas", 1}};
  EXPECT_EQ(DescribeExpectation(same), "x same_as x given {replicas: 1}");
  EXPECT_EQ(DescribeExpectation(Expect(Relation::kMultipleOf, 4)),
            "x multiple_of 4");
}

Sources GuideSources() {
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
  return ExplainResult(result, GuideSources(), "./bazelw test //x");
}

TEST(ExplainTest, ExplainsFailure) {
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

TEST(ExplainTest, NamesTheCommandThatExplains) {
  const Case conformance_case = MakeCase();
  MiniatureTestee testee([](const Request&) {
    return Observations{{{"sizes", {2, 1}}}};
  });
  const std::string text = ExplainResult(RunCase(conformance_case, testee, {}),
                                         GuideSources(), "run x", "explain x");
  EXPECT_TRUE(
      text.ends_with("  rerun     run x\n"
                     "  explain   explain x\n"))
      << text;
}

TEST(ExplainTest, FirstDifferenceFollowsDifference) {
  MiniatureTestee testee([](const Request&) {
    return Observations{{{"sizes", {2, 1}}}};
  });
  const Case conformance_case = MakeCase();
  CaseResult result = RunCase(conformance_case, testee, {});
  result.runs[0].findings[0].first_difference = "training step 2 of 3: \x1b[2J";
  EXPECT_NE(ExplainResult(result, GuideSources(), "./bazelw test //x")
                .find("  differs   at [1]: expected 2, observed 1\n"
                      "  first     training step 2 of 3: \\x1b[2J\n"
                      "  rerun "),
            std::string::npos);
}

TEST(ExplainTest, WrongValueAfterResumeHasHint) {
  MiniatureTestee testee([](const Request&) {
    return Observations{{{"sizes", {2, 1}}}};
  });
  Case conformance_case = MakeCase();
  const std::string hint = "  hint      trained on from epoch 0? ";
  const auto explain = [&] {
    return ExplainResult(RunCase(conformance_case, testee, {}), GuideSources(),
                         "");
  };
  EXPECT_EQ(explain().find(hint), std::string::npos);
  conformance_case.program[0]["program"].push_back({{"step", "train.resume"}});
  EXPECT_NE(explain().find(hint), std::string::npos);
}

TEST(ExplainTest, ErrorIsNamedWithItsStep) {
  const std::string text =
      Explain(Failure{"OutOfRange", "[Next] at the end", "input.next"});
  EXPECT_NE(text.find("input/rebatch/split: errored (required)"),
            std::string::npos);
  EXPECT_NE(text.find("error     OutOfRange in input.next: [Next] at the end"),
            std::string::npos);
}

TEST(ExplainTest, CutsAndEscapesOutputOfTestee) {
  const std::string text = Explain(
      Failure{"OutOfRange", "\x1b[2J" + std::string(5000, 'x'), "a.b\r"});
  EXPECT_NE(text.find("OutOfRange in a.b\\x0d: \\x1b[2Jxxx"),
            std::string::npos);
  EXPECT_NE(text.find("x... (4024 bytes more)\n"), std::string::npos) << text;
  const std::string unsupported = Explain(Unsupported{"a.b", "no\n\x1b[2J"});
  EXPECT_NE(unsupported.find("missing   a.b: no\\n\\x1b[2J\n"),
            std::string::npos);
  const std::string died = Explain(Crashed{"SIGSEGV", "one\x1b\ntwo"});
  EXPECT_NE(died.find("stderr    one\\x1b\n"), std::string::npos);
}

TEST(ExplainTest, NamesUnsupportedStep) {
  const std::string text = Explain(Unsupported{"data.sizes", "no sizes"});
  EXPECT_NE(text.find("input/rebatch/split: unsupported"), std::string::npos);
  EXPECT_NE(text.find("missing   data.sizes: no sizes"), std::string::npos);
}

TEST(ExplainTest, CrashHasStderr) {
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

TEST(ExplainTest, ExplainsLateProblem) {
  MiniatureTestee testee([](const Request&) {
    return Observations{{{"sizes", {2, 2}}}};
  });
  const Case conformance_case = MakeCase();
  CaseResult result = RunCase(conformance_case, testee, {});
  result.verdict = result.runs[0].verdict = Verdict::kProtocolError;
  result.runs[0].answer = ProtocolError{"answered seq 1 twice", ""};
  EXPECT_NE(ExplainResult(result, GuideSources(), "./bazelw test //x")
                .find("protocol error: answered seq 1 twice"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
