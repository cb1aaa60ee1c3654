#include "conformance/testees/reference/intents/job_steps.h"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/value.h"

namespace lockstep::conformance {
namespace {

Request RequestOf(const char* program, int replicas = 3) {
  return {.token = "a1b2",
          .given = {{"strategy", "mirrored"}, {"replicas", replicas}},
          .program = Json::parse(program)};
}

TEST(JobsOfTest, EachJobIsAProgram) {
  const std::vector<Request> jobs = JobsOf(RequestOf(R"([
    {"step": "job.run", "replicas": 1, "program": [{"step": "value.fail"}]},
    {"step": "job.run", "replicas": 3, "program": []}])"));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].given,
            Json::parse(R"({"strategy": "mirrored", "replicas": 1,
                            "logical_devices": 3})"));
  EXPECT_EQ(jobs[0].program, Json::parse(R"([{"step": "value.fail"}])"));
  EXPECT_EQ(jobs[1].given["replicas"], 3);
}

TEST(JobsOfTest, ProgramWithoutJobsIsUnchanged) {
  const Request request = RequestOf(R"([{"step": "value.fail"}])");
  const std::vector<Request> jobs = JobsOf(request);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].given, request.given);
  EXPECT_EQ(jobs[0].program, request.program);
}

TEST(JobsOfTest, RefusesOtherStepsAndTooManyReplicas) {
  for (const char* program :
       {R"([{"step": "job.run", "replicas": 1, "program": []},
            {"step": "value.fail"}])",
        R"([{"step": "job.run", "replicas": 4, "program": []}])",
        R"([{"step": "job.run", "replicas": 0, "program": []}])",
        R"([{"step": "job.run", "program": []}])"}) {
    EXPECT_THROW(JobsOf(RequestOf(program)), ProgramError) << program;
  }
}

Json Observe(const char* program, int replicas = 3) {
  ReferenceTestee testee;
  return std::get<Observations>(testee.Run(RequestOf(program, replicas)))
      .values;
}

TEST(JobTest, RefusesNestedJobs) {
  ReferenceTestee testee;
  EXPECT_THROW(testee.Run(RequestOf(R"([
    {"step": "program.repeat", "times": 1, "program": [
      {"step": "job.run", "replicas": 1, "program": []}]}])")),
               ProgramError);
}

// A job that makes a model y = k x + b, a loader of three batches, and a training
// of both, and then does `steps`.
Json JobOf(int replicas, double kernel, double bias, const char* steps) {
  Json job = Json::parse(R"({"step": "job.run", "program": [
    {"let": "model", "step": "model.create", "loss": "mean_squared_error",
     "layers": [{"kind": "dense"}]},
    {"let": "loader", "step": "loader.create", "batch": 2, "shuffle": true,
     "inputs": [[1], [2], [3], [4], [5]],
     "labels": [[2], [4], [6], [8], [10]]},
    {"let": "training", "step": "train.create", "of": "model",
     "optimizer": "sgd", "learning_rate": 0.0078125}]})");
  job["replicas"] = replicas;
  Json& program = job["program"];
  Json& layer = program[0]["layers"][0];
  layer["kernel"] = Json::array({Json::array({kernel})});
  layer["bias"] = Json::array({bias});
  for (const Json& step : Json::parse(steps)) program.push_back(step);
  return job;
}

// From (1, 0) to (2, 0): the second job trains, on other replicas, what the
// first one left of a pass.
Json Interrupted() {
  return Json::array({JobOf(3, 1, 0, R"([
    {"step": "train.epoch", "of": "training", "loader": "loader",
     "stop_after": 1},
    {"step": "train.save", "of": "training", "folder": "run",
     "loader": "loader"}])"),
                      JobOf(1, 9, 9, R"([
    {"step": "train.resume", "of": "training", "folder": "run",
     "loader": "loader"},
    {"step": "train.epoch", "of": "training", "loader": "loader"},
    {"observe": "steps", "step": "train.progress", "of": "training",
     "what": "optimizer_steps"},
    {"observe": "resumed", "step": "model.parameters", "of": "model"}])"),
                      JobOf(1, 1, 0, R"([
    {"step": "train.epoch", "of": "training", "loader": "loader"},
    {"observe": "whole", "step": "model.parameters", "of": "model"}])")});
}

TEST(JobTest, ResumesEarlierJob) {
  const Json observed = Observe(Interrupted().dump().c_str());
  EXPECT_EQ(observed["steps"], 3);
  for (const char* name : {"kernel", "bias"}) {
    const Json resumed = observed["resumed"][0][name].flatten();
    const Json whole = observed["whole"][0][name].flatten();
    EXPECT_NEAR(resumed.begin()->get<double>(), whole.begin()->get<double>(),
                1e-6);
  }
}

// What is added to make shares equal is trained on, and neither measured nor
// gathered.
TEST(LoaderTest, PaddingIsNotEvaluated) {
  const Json observed = Observe(R"([
    {"let": "model", "step": "model.create", "loss": "mean_squared_error",
     "layers": [{"kind": "dense", "kernel": [[1]]}]},
    {"let": "loader", "step": "loader.create", "batch": 2, "uneven": "pad",
     "inputs": [[1], [2], [3]], "labels": [[0], [0], [0]]},
    {"let": "training", "step": "train.create", "of": "model",
     "optimizer": "sgd", "learning_rate": 1},
    {"observe": "elements", "step": "loader.elements", "of": "loader"},
    {"observe": "all", "step": "train.gather", "of": "training",
     "loader": "loader"},
    {"let": "measured", "step": "train.evaluate", "of": "training",
     "loader": "loader", "metrics": ["count"]},
    {"observe": "count", "step": "value.show", "of": "measured.count"}])",
                                2);
  EXPECT_EQ(observed["elements"],
            Json::parse("[[[[1]], [[2]]], [[[3]], [[1]]]]"));
  EXPECT_EQ(observed["all"], Json::parse("[[1], [2], [3]]"));
  EXPECT_EQ(observed["count"], 3);
}

}  // namespace
}  // namespace lockstep::conformance
