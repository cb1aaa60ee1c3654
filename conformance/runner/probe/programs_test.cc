#include "conformance/runner/probe/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/cases/program.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProbeProgram Program(const std::string& id,
                     const std::vector<std::string>& steps) {
  ProbeProgram program{id, {{"strategy", "default"}}, Json::array()};
  for (const std::string& step : steps) {
    program.program.push_back({{"step", step}});
  }
  return program;
}

std::vector<std::string> IdsOf(const ChosenPrograms& chosen) {
  std::vector<std::string> ids;
  for (const ProbeProgram& one : chosen.programs) ids.push_back(one.id);
  return ids;
}

TEST(ChooseProgramsTest, ChoosesShortProgramsOfDeclaredSteps) {
  const ChosenPrograms chosen = ChoosePrograms(
      {Program("long", {"a.a", "a.b", "a.b"}), Program("short", {"a.b"}),
       Program("undeclared", {"a.a", "a.c"}), Program("both", {"a.a", "a.b"})},
      {"a.a", "a.b", "a.d"});
  EXPECT_THAT(IdsOf(chosen), ElementsAre("both"));
  EXPECT_THAT(chosen.left_over, ElementsAre("a.d"));
}

TEST(ChooseProgramsTest, CountsStepsOfBlocks) {
  const Json nested = Json::parse(R"([{"step": "a.a", "observe": "x",
    "program": [{"step": "a.b", "observe": "y"}]}])");
  EXPECT_THAT(StepNamesOf(nested), ElementsAre("a.a", "a.b"));
  EXPECT_THAT(ObservationNamesOf(nested), ElementsAre("x", "y"));
  const ChosenPrograms chosen =
      ChoosePrograms({{"nested", Json::object(), nested}}, {"a.a"});
  EXPECT_THAT(IdsOf(chosen), IsEmpty());
  EXPECT_THAT(chosen.left_over, ElementsAre("a.a"));
}

TEST(ChooseProgramsTest, IgnoresProgramsWithWorkers) {
  ProbeProgram multi_worker = Program("workers", {"a.a"});
  multi_worker.given["workers"] = 2;
  EXPECT_THAT(ChoosePrograms({multi_worker}, {"a.a"}).left_over,
              ElementsAre("a.a"));
}

TEST(ProgramOfTest, HasOneReplicaCountAndParameterValues) {
  Case conformance_case;
  conformance_case.id = "a/b/c";
  conformance_case.given = Json::parse(R"({"strategy": "mirrored",
    "replicas": [3, 2], "parameters": {"size": 4}})");
  conformance_case.program =
      Json::parse(R"([{"step": "a.a", "size": {"parameter": "size"}}])");
  const ProbeProgram program = ProgramOf(conformance_case);
  EXPECT_EQ(program.id, "a/b/c");
  EXPECT_EQ(program.given, Json({{"strategy", "mirrored"}, {"replicas", 3}}));
  EXPECT_EQ(program.program.dump(), R"([{"step":"a.a","size":4}])");
  conformance_case.given = {{"strategy", "default"}};
  conformance_case.program = Json::parse(R"([{"step": "a.a"}])");
  EXPECT_EQ(ProgramOf(conformance_case).given, conformance_case.given);
}

}  // namespace
}  // namespace lockstep
