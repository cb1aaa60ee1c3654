#include "conformance/runner/verdicts/traced_program.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

// A program that trains on eight examples with these steps.
Json ProgramThatTrains(const char* steps) {
  Json program = Json::parse(R"([
    {"let": "model", "step": "model.create"},
    {"let": "loader", "step": "loader.create",
     "inputs": [1, 2, 3, 4, 5, 6, 7, 8], "batch": 3},
    {"let": "training", "step": "train.create", "of": "model"}])");
  for (const Json& step : Json::parse(steps)) program.push_back(step);
  return program;
}

// How many batches each training step is known to have.
std::vector<int64_t> BatchesOf(const Json& program, int64_t replicas = 2) {
  std::vector<int64_t> batches;
  const TracedProgram traced(program, replicas);
  for (const auto& step : traced.steps()) {
    batches.push_back(step.batches);
  }
  return batches;
}

Json Tail(const Json& program, size_t first) {
  Json tail = Json::array();
  for (size_t i = first; i < program.size(); ++i) tail.push_back(program[i]);
  return tail;
}

using Batches = std::vector<int64_t>;

constexpr const char* kTwoSteps = R"([
  {"step": "train.batches", "of": "training", "loader": "loader"},
  {"observe": "seen", "step": "train.losses", "of": "training"},
  {"step": "train.epoch", "of": "training", "loader": "loader"}])";

TEST(TracedProgramTest, ObservesAfterEachTrainingStep) {
  const TracedProgram traced(ProgramThatTrains(kTwoSteps), 2);
  EXPECT_EQ(Tail(traced.Whole(true), 3), Json::parse(R"([
    {"step": "train.batches", "of": "training", "loader": "loader"},
    {"observe": "traced_gradients_0", "step": "train.gradients",
     "of": "training"},
    {"observe": "traced_parameters_0", "step": "model.parameters",
     "of": "model"},
    {"observe": "seen", "step": "train.losses", "of": "training"},
    {"step": "train.epoch", "of": "training", "loader": "loader"},
    {"observe": "traced_gradients_1", "step": "train.gradients",
     "of": "training"},
    {"observe": "traced_parameters_1", "step": "model.parameters",
     "of": "model"}])"));
  EXPECT_EQ(traced.GradientsOf(1), "traced_gradients_1");
  EXPECT_EQ(traced.ParametersOf(0), "traced_parameters_0");
  ASSERT_EQ(traced.steps().size(), 2u);
  EXPECT_EQ(traced.steps()[1].name, "train.epoch");
}

TEST(TracedProgramTest, OmitsGradients) {
  const TracedProgram traced(ProgramThatTrains(kTwoSteps), 2);
  EXPECT_EQ(traced.Whole(false)[4]["step"], "model.parameters");
  EXPECT_EQ(traced.Whole(false).size(), traced.Whole(true).size() - 2);
}

TEST(TracedProgramTest, AvoidsNamesOfTheProgram) {
  Json program = ProgramThatTrains(kTwoSteps);
  program[4]["observe"] = "traced_parameters_0";
  const TracedProgram traced(program, 2);
  EXPECT_EQ(traced.ParametersOf(0), "traced_again_parameters_0");
  EXPECT_EQ(traced.Whole(true)[5]["observe"], "traced_again_parameters_0");
}

TEST(TracedProgramTest, EndsWithinATrainingStep) {
  const TracedProgram traced(ProgramThatTrains(R"([
    {"step": "train.epoch", "of": "training", "loader": "loader"},
    {"observe": "seen", "step": "train.losses", "of": "training"}])"),
                             2);
  EXPECT_EQ(Tail(traced.Within(0, 2, false), 3), Json::parse(R"([
    {"step": "train.epoch", "of": "training", "loader": "loader",
     "stop_after": 2},
    {"observe": "traced_parameters_0", "step": "model.parameters",
     "of": "model"}])"));
  ExpectError([&] { traced.Within(0, 4, false); }, Code::kInternal, "batches");
}

TEST(TracedProgramTest, EndsWithinAStepOfSeveralBatches) {
  const TracedProgram traced(ProgramThatTrains(R"([
    {"step": "train.batches", "of": "training", "loader": "loader",
     "batches": 5}])"),
                             2);
  const Json within = traced.Within(0, 2, true);
  EXPECT_EQ(within[3]["batches"], 2);
  EXPECT_EQ(within[4]["observe"], "traced_gradients_0");
  EXPECT_EQ(within.size(), 6u);
}

TEST(TracedProgramTest, KnowsBatchesOfAnEpoch) {
  Json program = ProgramThatTrains(
      R"([{"step": "train.epoch", "of": "training", "loader": "loader",
           "epochs": 2}])");
  EXPECT_EQ(BatchesOf(program), Batches{6});
  program[3]["stop_after"] = 5;
  EXPECT_EQ(BatchesOf(program), Batches{5});
  program[3]["stop_after"] = 9;
  EXPECT_EQ(BatchesOf(program), Batches{6});
  program[1]["drop_last"] = true;
  EXPECT_EQ(BatchesOf(program), Batches{4});
  program[1]["batch_of"] = "replica";
  EXPECT_EQ(BatchesOf(program), Batches{2});
  EXPECT_EQ(BatchesOf(program, 4), Batches{0});
}

TEST(TracedProgramTest, KnowsBatchesPerOptimizerStep) {
  Json program = ProgramThatTrains(
      R"([{"step": "train.epoch", "of": "training", "loader": "loader"}])");
  const auto window = [&] {
    return TracedProgram(program, 2).steps()[0].window;
  };
  EXPECT_EQ(window(), 1);
  program[2]["accumulate"] = 3;
  EXPECT_EQ(window(), 3);
  program[2]["accumulate"] = 2;  // a pass has three batches
  EXPECT_EQ(window(), 0);
  program[1]["batch"] = 4;
  EXPECT_EQ(window(), 2);
  program[2]["accumulate"] = "n";
  EXPECT_EQ(window(), 0);
}

// The batches of earlier epochs would count too, and a loader that skips has
// others.
TEST(TracedProgramTest, BatchesOfOtherEpochsAreUnknown) {
  EXPECT_EQ(BatchesOf(ProgramThatTrains(kTwoSteps)), (Batches{1, 0}));
  EXPECT_EQ(BatchesOf(ProgramThatTrains(R"([
    {"let": "skipped", "step": "loader.skip", "of": "loader", "batches": 1},
    {"step": "train.epoch", "of": "training", "loader": "skipped"}])")),
            Batches{0});
  EXPECT_EQ(BatchesOf(ProgramThatTrains(R"([
    {"step": "train.resume", "of": "training", "folder": "saved"},
    {"step": "train.epoch", "of": "training", "loader": "loader"}])")),
            Batches{0});
  EXPECT_EQ(BatchesOf(ProgramThatTrains(R"([
    {"step": "train.join", "of": "training", "loader": "loader"}])")),
            Batches{0});
}

TEST(TracedProgramTest, AcceptsAnyArgument) {
  Json program = ProgramThatTrains(
      R"([{"step": "train.batches", "of": "training", "loader": "loader"}])");
  for (const char* batches : {"\"n\"", "0", "-1", "1.5", "[2]", "1000001"}) {
    program[3]["batches"] = Json::parse(batches);
    EXPECT_EQ(BatchesOf(program), Batches{0}) << batches;
  }
  program[3]["step"] = "train.epoch";
  program[1]["batch"] = "n";
  EXPECT_EQ(BatchesOf(program), Batches{0});
  program[3]["of"] = 7;
  EXPECT_TRUE(BatchesOf(program).empty());
}

TEST(TracedProgramTest, NeedsATrainingStepOutsideOfBlocks) {
  EXPECT_TRUE(BatchesOf(ProgramThatTrains("[]")).empty());
  EXPECT_TRUE(BatchesOf(ProgramThatTrains(R"([
    {"step": "train.batches", "of": "training", "loader": "loader"},
    {"step": "program.repeat", "times": 2, "program": [
      {"step": "program.try", "program": [
        {"step": "train.epoch", "of": "training", "loader": "loader"}]}]}])"))
                  .empty());
}

TEST(TracedProgramTest, NeedsNameOfTheModel) {
  const char* const kStep = R"(
    {"step": "train.batches", "of": "training", "loader": "loader"}])";
  const auto behind = [&](const std::string& steps) {
    return BatchesOf(ProgramThatTrains((steps + kStep).c_str()));
  };
  EXPECT_EQ(behind("["), Batches{1});
  EXPECT_TRUE(behind(R"([{"let": "model", "step": "model.create"},)").empty());
  EXPECT_TRUE(
      behind(R"([{"let": "training", "step": "dataset.range"},)").empty());
  EXPECT_TRUE(behind(R"([{"step": "program.try", "program": [
                        {"let": "model", "step": "model.create"}]},)")
                  .empty());
  EXPECT_EQ(behind(R"([{"let": "model", "step": "model.create"},
                       {"let": "training", "step": "train.create",
                        "of": "model"},)"),
            Batches{1});
}

}  // namespace
}  // namespace lockstep
