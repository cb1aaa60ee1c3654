#include "conformance/runner/describe_case.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace lockstep {
namespace {

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
  conformance_case.expect[0].when = {{"remainder", "split"}};
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
  error.at_step = "data.x";
  EXPECT_EQ(DescribeExpectation(error), "error \"OutOfRange\" in data.x");
  Expectation same = Expect(Relation::kSameAs, Json::object());
  same.other_observation = "x";
  same.other_given = {{"replicas", 1}};
  EXPECT_EQ(DescribeExpectation(same), "x same_as x given {replicas: 1}");
  EXPECT_EQ(DescribeExpectation(Expect(Relation::kMultipleOf, 4)),
            "x multiple_of 4");
}

}  // namespace
}  // namespace lockstep
