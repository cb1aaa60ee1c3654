#include "conformance/testees/reference/reference_testee.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/runner/cases/program.h"
#include "conformance/testees/reference/step_table.h"
#include "conformance/testees/reference/tested_devices.h"
#include "conformance/testees/reference/value.h"
#include "conformance/testees/reference/workers/worker_steps.h"
#include "conformance/testees/reference/workers/workers_testee.h"
#include "reference/base/error_testing.h"

namespace lockstep::conformance {
namespace {

TEST(TestedDevicesTest, CpusKeepTheirNames) {
  const TestedDevices cpus;
  cpus.SetCount(3);
  EXPECT_EQ(cpus.kind_name(), "CPU");
  EXPECT_EQ(cpus.Names(),
            (std::vector<std::string>{"CPU:0", "CPU:1", "CPU:2"}));
  EXPECT_EQ(cpus.Translate("CPU:1"), "CPU:1");
}

TEST(TestedDevicesTest, OtherTextsAreUnchanged) {
  EXPECT_EQ(TestedDevices().Translate("toaster"), "toaster");
}

// This program links no GPU backend, so there is none on any machine.
TEST(TestedDevicesTest, NeedsAGpu) {
  EXPECT_EQ(CodeOf([] { TestedDevices gpus(DeviceKind::kGpu); }),
            Code::kNotFound);
}

}  // namespace

// The documents describe exactly the steps of the reference.

namespace {

TEST(StepsAreDescribedTest, DocumentsAndTableHaveTheSameSteps) {
  ReferenceTestee testee;
  Names implemented;
  for (const auto& [name, function] : testee.steps().steps()) {
    implemented.insert(name);
  }
  const Operations operations = Operations::Load(DocumentsIn("conformance"));
  Names described;
  for (const auto& [name, operation] : operations.by_name()) {
    described.insert(name);
  }
  EXPECT_EQ(implemented, described);
}

Answer RunText(const char* program, int replicas = 2) {
  ReferenceTestee testee;
  return testee.Run(
      {.token = "a1b2",
       .given = {{"strategy", "mirrored"}, {"replicas", replicas}},
       .program = Json::parse(program)});
}

Json Observe(const char* program, int replicas = 2) {
  return std::get<Observations>(RunText(program, replicas)).values;
}

// A thread prefetches elements with a function that looks up `one`.
TEST(ReferenceTesteeTest, ProgramMayEndWhilePrefetching) {
  for (int round = 0; round < 200; ++round) {
    EXPECT_EQ(Observe(R"([
      {"let": "one", "step": "value.constant", "value": 1, "dtype": "int64"},
      {"let": "numbers", "step": "dataset.range", "stop": 64},
      {"let": "more", "step": "dataset.map", "of": "numbers", "as": "n",
       "program": [{"let": "m", "step": "value.add", "a": "n", "b": "one"}],
       "return": "m"},
      {"let": "batches", "step": "dataset.batch", "of": "more", "size": 2},
      {"let": "inputs", "step": "strategy.distribute_dataset", "of": "batches"},
      {"let": "a_reader", "step": "input.iterator", "of": "inputs"},
      {"let": "step", "step": "input.next", "of": "a_reader"},
      {"observe": "first", "step": "strategy.local_results", "of": "step"}])"),
              Json::parse(R"({"first": [[1], [2]]})"));
  }
}

TEST(ReferenceTesteeTest, DeclaresItself) {
  ReferenceTestee testee;
  const TesteeDeclaration& declaration = testee.Start();
  EXPECT_EQ(declaration.name, "reference");
  EXPECT_EQ(declaration.devices, std::vector<std::string>{"CPU"});
  EXPECT_EQ(declaration.conventions.at("gradient_combination"), "sum");
  EXPECT_EQ(std::ranges::count(declaration.steps, "gradient.tape"), 1);
}

TEST(ReferenceTesteeTest, ObservesValues) {
  EXPECT_EQ(Observe(R"([
    {"let": "x", "observe": "x", "step": "value.constant", "value": [[1, 2.5]]},
    {"observe": "again", "step": "value.show", "of": "x"}])"),
            Json::parse(R"({"x": [[1, 2.5]], "again": [[1, 2.5]]})"));
}

TEST(ReferenceTesteeTest, RepeatedBlocksObserveLists) {
  EXPECT_EQ(Observe(R"([
    {"step": "program.repeat", "times": 3, "as": "i", "program": [
      {"step": "strategy.run", "args": {"i": "i"}, "program": [
        {"let": "where", "step": "strategy.context"},
        {"observe": "sum", "step": "value.add",
         "a": "where.replica_id_in_sync_group", "b": "i"}]}]}])"),
            Json::parse(R"({"sum": [[0, 1], [1, 2], [2, 3]]})"));
}

TEST(ReferenceTesteeTest, NoRoundsObserveEmptyLists) {
  EXPECT_EQ(Observe(R"([
    {"step": "program.repeat", "times": 0, "program": [
      {"observe": "x", "step": "value.constant", "value": 1}]}])"),
            Json::parse(R"({"x": []})"));
}

TEST(ReferenceTesteeTest, NonFiniteNumbersAreTexts) {
  EXPECT_EQ(Observe(R"([
    {"observe": "mean", "step": "value.mean", "of": []}])"),
            Json::parse(R"({"mean": "NaN"})"));
  // In literals of a program, and in results of steps that create JSON.
  EXPECT_EQ(Observe(R"([
    {"observe": "x", "step": "value.constant",
     "value": [1, "NaN", "Infinity", "-Infinity"]},
    {"let": "mean", "step": "metric.create", "kind": "mean"},
    {"step": "strategy.run", "program": [
      {"let": "own", "step": "value.constant", "value": "NaN"},
      {"step": "metric.update_state", "of": "mean", "values": "own"}]},
    {"observe": "mean", "step": "metric.result", "of": "mean"}])"),
            Json::parse(R"({"x": [1, "NaN", "Infinity", "-Infinity"],
                            "mean": "NaN"})"));
}

TEST(ReferenceTesteeTest, ErrorNamesTheInnermostStep) {
  const Answer answer = RunText(R"([
    {"step": "program.repeat", "times": 1, "program": [
      {"step": "strategy.run", "program": [{"step": "value.fail"}]}]}])");
  const Failure& failure = std::get<Failure>(answer);
  EXPECT_EQ(failure.error_class, "InvalidArgument");
  EXPECT_EQ(failure.at_step, "value.fail");
}

TEST(ReferenceTesteeTest, FunctionBlockObservesEachCall) {
  EXPECT_EQ(Observe(R"([
    {"let": "inputs", "step": "strategy.distribute_datasets_from_function",
     "as": "context", "replication": "per_replica", "program": [
       {"observe": "id", "step": "value.show",
        "of": "context.input_pipeline_id"},
       {"let": "numbers", "step": "dataset.range", "stop": 1},
       {"let": "same", "step": "dataset.map", "of": "numbers", "as": "n",
        "program": [{"let": "m", "step": "value.add", "a": "n",
                     "b": "context.input_pipeline_id"}], "return": "m"},
       {"let": "batches", "step": "dataset.batch", "of": "same", "size": 1}],
     "return": "batches"},
    {"observe": "elements", "step": "input.elements", "of": "inputs"}])"),
            Json::parse(R"({"id": [0, 1], "elements": [[[0], [1]]]})"));
}

// x v: v = 3 is a variable, x = 5 is not.
TEST(ReferenceTesteeTest, TapeAcceptsVariablesAndValues) {
  EXPECT_EQ(Observe(R"([
    {"let": "v", "step": "variable.create", "value": 3},
    {"let": "x", "step": "value.constant", "value": 5},
    {"observe": "gradients", "step": "gradient.tape",
     "target": "y", "sources": ["v", "x"], "program": [
       {"let": "held", "step": "variable.read", "of": "v"},
       {"let": "y", "step": "value.multiply", "a": "x", "b": "held"}]}])"),
            Json::parse(R"({"gradients": [5, 3]})"));
}

TEST(ReferenceTesteeTest, ShapesAndTypesKeepTheStructure) {
  EXPECT_EQ(Observe(R"([
    {"let": "b", "step": "value.constant", "value": [1, 2]},
    {"let": "a", "step": "value.constant", "value": 1, "dtype": "int32"},
    {"let": "both", "step": "strategy.run", "return": {"b": "b", "a": "a"},
     "program": []},
    {"observe": "shapes", "step": "value.shape", "of": "both"},
    {"observe": "types", "step": "value.dtype", "of": "both"}])"),
            Json::parse(R"({"shapes": [{"a": [], "b": [2]},
                                       {"a": [], "b": [2]}],
                            "types": [{"a": "int32", "b": "float32"},
                                      {"a": "int32", "b": "float32"}]})"));
}

TEST(ReferenceTesteeTest, UnknownStepIsUnsupported) {
  const Answer answer = RunText(R"([{"step": "model.quantize"}])");
  EXPECT_EQ(std::get<Unsupported>(answer).step, "model.quantize");
}

TEST(ReferenceTesteeTest, InvalidProgramIsAProgramError) {
  for (const char* program : {
           R"([{"observe": "x", "step": "value.show", "of": "unknown"}])",
           R"([{"step": "dataset.range"}])",
           R"([{"step": "dataset.range", "stop": 1.5}])",
           R"([{"step": "value.constant", "value": [[1], [2, 3]]}])",
           R"([{"let": "d", "step": "dataset.range", "stop": 1},
               {"step": "input.iterator", "of": "d"}])",
           R"([{"let": "i",
                "step": "strategy.distribute_datasets_from_function",
                "as": "context", "program": [
                  {"let": "x", "step": "value.constant", "value": 1}],
                "return": "x"}])",
           R"([{"let": "i",
                "step": "strategy.distribute_datasets_from_function",
                "as": "context", "program": [
                  {"let": "x", "step": "value.show", "of": "context.weather"}],
                "return": "x"}])",
           R"([{"let": "x", "step": "strategy.distribute_values",
                "values": [1, 2]},
               {"step": "strategy.run", "program": [
                 {"step": "value.square", "of": "x"}]}])",
           R"([{"step": "strategy.run", "return": 1, "program": [
                 {"let": "x", "step": "value.constant", "value": 1}]}])",
           R"([{"step": "strategy.run", "return": {"x": [null]}, "program": [
                 {"let": "x", "step": "value.constant", "value": 1}]}])",
           R"([{"step": "value.constant", "value": "minus infinity"}])",
           R"([{"step": "value.constant", "value": "NaN", "dtype": "int32"}])",
           R"([{"let": "x"}])",
           R"([{"step": 1}])",
           R"([1])",
           R"([null])",
           R"({"step": "value.fail"})",
           R"("value.fail")",
           R"([{"step": "value.constant", "value": 1, "let": 7}])",
           R"([{"step": "value.constant", "value": 1, "observe": ["x"]}])",
           R"([{"step": "program.repeat", "times": 1, "program": 1}])",
           R"([{"step": "program.repeat", "times": 1, "program": [{}]}])",
           R"([{"step": "program.repeat", "times": -1, "program": []}])",
           R"([{"step": "program.repeat", "times": 1000001, "program": []}])",
           R"([{"step": "program.repeat", "times": 9223372036854775808,
                "program": []}])",
           R"([{"step": "strategy.run", "args": [1], "program": []}])",
           R"([{"step": "strategy.run", "args": 1, "program": []}])",
           R"([{"observe": "d", "step": "dataset.range", "stop": 1}])",
           R"([{"observe": "v", "step": "variable.create", "value": 1}])",
       }) {
    EXPECT_THROW(RunText(program), ProgramError) << program;
  }
}

TEST(ReferenceTesteeTest, InvalidGivenIsAProgramError) {
  ReferenceTestee testee;
  for (const char* given :
       {"{}", "1", R"({"strategy": 1})", R"({"strategy": "tpu"})",
        R"({"strategy": "mirrored", "replicas": "2"})",
        R"({"strategy": "mirrored", "replicas": 0})",
        R"({"strategy": "mirrored", "replicas": 65})",
        R"({"strategy": "mirrored", "replicas": 4294967297})",
        R"({"strategy": "mirrored", "replicas": 18446744073709551615})",
        R"({"strategy": "default", "logical_devices": 100000})"}) {
    EXPECT_THROW(testee.Run({.token = "a1b2",
                             .given = Json::parse(given),
                             .program = Json::array()}),
                 ProgramError)
        << given;
  }
}

// The step whose observation is too large.
std::string ExhaustedAt(const char* program) {
  const Answer answer = RunText(program);
  const auto* failure = std::get_if<Failure>(&answer);
  if (!failure) return DescribeAnswer(answer);
  EXPECT_EQ(failure->error_class, "ResourceExhausted");
  return failure->at_step;
}

TEST(ReferenceTesteeTest, TooLargeObservationIsAnError) {
  EXPECT_EQ(ExhaustedAt(R"([
    {"let": "d", "step": "dataset.range", "stop": 1000000000000000000},
    {"let": "b", "step": "dataset.batch", "of": "d", "size": 10000},
    {"observe": "x", "step": "dataset.elements", "of": "b"}])"),
            "dataset.elements");
  EXPECT_EQ(ExhaustedAt(R"([
    {"let": "d", "step": "dataset.range", "stop": 20},
    {"let": "forever", "step": "dataset.repeat", "of": "d"},
    {"let": "b", "step": "dataset.batch", "of": "forever", "size": 10000},
    {"let": "i", "step": "strategy.distribute_dataset", "of": "b"},
    {"observe": "x", "step": "input.elements", "of": "i"}])"),
            "input.elements");
  EXPECT_EQ(ExhaustedAt(R"([
    {"let": "d", "step": "dataset.range", "stop": 20},
    {"let": "forever", "step": "dataset.repeat", "of": "d"},
    {"let": "b", "step": "dataset.batch", "of": "forever", "size": 10000},
    {"let": "i", "step": "strategy.distribute_dataset", "of": "b"},
    {"step": "input.for_each", "of": "i", "as": "x", "program": [
      {"step": "strategy.run", "args": {"x": "x"}, "program": [
        {"observe": "x", "step": "value.show", "of": "x"}]}]}])"),
            "input.for_each");
}

TEST(ReferenceTesteeTest, ProgramsStartFromAFreshState) {
  const char* program = R"([
    {"let": "v", "step": "variable.create", "value": 1},
    {"let": "c", "step": "checkpoint.create", "objects": {"v": "v"}},
    {"observe": "before", "step": "file.list", "folder": "."},
    {"observe": "path", "step": "checkpoint.save", "of": "c", "prefix": "a"}])";
  const Json expected = Json::parse(R"({"before": [], "path": "a-1"})");
  EXPECT_EQ(Observe(program), expected);
  EXPECT_EQ(Observe(program, 3), expected);
}

Failure FailureOf(const std::string& error_class) {
  return {.error_class = error_class, .message = "m", .at_step = "value.fail"};
}

TEST(MergeAnswersTest, ObservationsAreListsOverTheWorkers) {
  const Answer merged =
      MergeAnswers({Observations{Json::parse(R"({"x": 1, "y": [2, 3]})")},
                    Observations{Json::parse(R"({"x": 4, "y": [5]})")}});
  EXPECT_EQ(std::get<Observations>(merged).values,
            Json::parse(R"({"x": [1, 4], "y": [[2, 3], [5]]})"));
}

TEST(MergeAnswersTest, FindsCauseOfFailures) {
  const auto class_of = [](const std::vector<Answer>& workers) {
    return std::get<Failure>(MergeAnswers(workers)).error_class;
  };
  EXPECT_EQ(class_of({Observations{}, FailureOf("OutOfRange")}), "OutOfRange");
  EXPECT_EQ(class_of({FailureOf("Unavailable"), FailureOf("InvalidArgument"),
                      FailureOf("OutOfRange")}),
            "InvalidArgument");
  // Workers disagree because one of them failed.
  EXPECT_EQ(
      class_of({FailureOf("FailedPrecondition"), FailureOf("OutOfRange")}),
      "OutOfRange");
  EXPECT_EQ(
      class_of({FailureOf("Unavailable"), FailureOf("FailedPrecondition")}),
      "FailedPrecondition");
  EXPECT_EQ(class_of({FailureOf("DeadlineExceeded"), FailureOf("Unavailable")}),
            "DeadlineExceeded");
}

TEST(MergeAnswersTest, MissingAnswerIsAFailure) {
  const Failure failure =
      std::get<Failure>(MergeAnswers({FailureOf("Unavailable"), TimedOut{}}));
  EXPECT_EQ(failure.error_class, "Internal");
  EXPECT_NE(failure.message.find("worker 1: "), std::string::npos);
}

TEST(MergeAnswersTest, EndedWorkerObservesNull) {
  const Json program = Json::parse(
      R"([{"step": "program.try", "program": [{"step": "worker.end", "worker": 1}]}])");
  const std::set<int> ended = EndedWorkers(program);
  EXPECT_EQ(ended, std::set<int>{1});
  const Observations first{Json::parse(R"({"x": 1})")};
  const Answer merged = MergeAnswers({first, Crashed{"SIGKILL", ""}}, ended);
  EXPECT_EQ(std::get<Observations>(merged).values,
            Json::parse(R"({"x": [1, null]})"));
  for (const std::string by : {"SIGSEGV", "exit status 0"}) {
    EXPECT_TRUE(std::holds_alternative<Failure>(
        MergeAnswers({first, Crashed{by, ""}}, ended)));
  }
  EXPECT_TRUE(std::holds_alternative<Failure>(
      MergeAnswers({Crashed{"SIGKILL", ""}, first}, ended)));
}

TEST(MergeAnswersTest, FindsEndedWorkers) {
  EXPECT_TRUE(
      EndedWorkers(
          Json::parse(R"([1, {"step": 2}, {"worker": 1}, {"step": "worker.end"},
                               {"step": "worker.end", "worker": "i"}])"))
          .empty());
  EXPECT_TRUE(EndedWorkers(Json(7)).empty());
}

TEST(MergeAnswersTest, UnsupportedOnOneIsUnsupported) {
  EXPECT_EQ(std::get<Unsupported>(
                MergeAnswers({FailureOf("Internal"),
                              Unsupported{"value.fail", "no step"}}))
                .reason,
            "no step");
}

}  // namespace
}  // namespace lockstep::conformance
