#include "conformance/runner/cases/program.h"

#include <gtest/gtest.h>

#include "conformance/runner/cases/case_loader_testing.h"

namespace lockstep {
namespace {

class ProgramTest : public CaseLoaderTest {};

TEST_F(ProgramTest, RefusesInvalidNumberOfRounds) {
  Json corrupted = RightCase();
  Json& repeat = corrupted["program"][1];
  repeat["step"] = "program.repeat";
  for (const char* times : {"-1", "1000001", "9223372036854775808", "1.5"}) {
    repeat["times"] = Json::parse(times);
    EXPECT_NE(Refusal([&] { LoadCase(corrupted); }).find("from 0 to 1000000"),
              std::string::npos);
  }
}

TEST_F(ProgramTest, RefusesMalformedPrograms) {
  EXPECT_EQ(RefusalWith("program", "[]"),
            "$.cases[0].program: wanted at least one item, got none");
  EXPECT_EQ(RefusalWith("program/1/program/0/step", "\"data.guess\""),
            "$.cases[0].program[1].program[0].step: unknown step "
            "'data.guess': no document describes it");
  EXPECT_EQ(RefusalWith("program/0/let", "\"The Numbers\""),
            "$.cases[0].program[0].let: 'The Numbers' is not a name in lower "
            "snake case");
  EXPECT_EQ(RefusalWith("program/0/observe", "\"seen\""),
            "$.cases[0].program[1].program[0].observe: 'seen' is observed by "
            "two steps");
}

TEST_F(ProgramTest, RefusesInvalidArguments) {
  EXPECT_EQ(RefusalWith("program/0/size", "4"),
            "$.cases[0].program[0].size: data.range has no argument 'size'");
  EXPECT_EQ(RefusalWith("program/0", R"({"let": "numbers",
                                         "step": "data.range"})"),
            "$.cases[0].program[0]: data.range needs the argument 'stop'");
  EXPECT_EQ(RefusalWith("program/0/stop", "[2]"),
            "$.cases[0].program[0].stop: wanted integer, got [2]");
  EXPECT_EQ(RefusalWith("program/0/kind", "\"left\""),
            "$.cases[0].program[0].kind: wanted choice of up, down, got "
            "\"left\"");
}

TEST_F(ProgramTest, RefusesUnknownAndUnusedNames) {
  EXPECT_EQ(RefusalWith("program/1/of", "\"figures.x\""),
            "$.cases[0].program[1].of: unknown name 'figures'");
  EXPECT_EQ(RefusalWith("program/2", R"({"observe": "last", "of": "x",
                                         "step": "data.show"})"),
            "$.cases[0].program[2].of: unknown name 'x'")
      << "names of a block are not visible outside";
  EXPECT_EQ(RefusalWith("program/2", R"({"let": "more", "stop": 1,
                                         "step": "data.range"})"),
            "$.cases[0].program[2].let: 'more' is never used");
  EXPECT_EQ(RefusalWith("program/1/let", "\"nothing\""),
            "$.cases[0].program[1].let: data.each gives nothing");
}

TEST_F(ProgramTest, RefusesToObserveObjects) {
  EXPECT_EQ(
      RefusalWith("program/2", R"({"observe": "all", "step": "data.load"})"),
      "$.cases[0].program[2].observe: what data.load gives cannot be observed");
}

TEST_F(ProgramTest, NamesOfATapeStayVisible) {
  Json tape = RightCase();
  tape["program"][1] = Json::parse(R"({
    "let": "gradient", "step": "gradient.tape", "with": {"y": "numbers"},
    "target": "loss", "program": [
      {"let": "loss", "step": "data.show", "of": "y"}]})");
  tape["program"].push_back(
      Json::parse(R"({"observe": "seen", "step": "data.show", "of": "loss"})"));
  tape["program"].push_back(Json::parse(
      R"({"observe": "slope", "step": "data.show", "of": "gradient"})"));
  tape["expect"].push_back({{"observation", "slope"}, {"equals", 1}});
  EXPECT_EQ(LoadCase(tape).size(), 1u);
}

TEST_F(ProgramTest, RefusesObservationInUnseenBlock) {
  Json mapped = RightCase();
  mapped["program"][1] = Json::parse(R"({
    "observe": "all", "step": "dataset.map", "of": "numbers", "as": "x",
    "return": "x", "program": [
      {"observe": "seen", "step": "data.show", "of": "x"}]})");
  EXPECT_EQ(Refusal([&] { LoadCase(mapped); }),
            "$.cases[0].program[1].program: the block of dataset.map must not "
            "observe anything");
}

}  // namespace
}  // namespace lockstep
