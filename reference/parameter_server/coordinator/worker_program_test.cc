// What a worker runs, and how functions fail.
#include "reference/parameter_server/coordinator/worker_program.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "reference/base/error_testing.h"
#include "reference/parameter_server/variables/closure_scope.h"

namespace lockstep::coordinator_internal {
namespace {

void ExpectFailure(const RunReply& reply, Code code, const std::string& words) {
  ExpectError([&] { throw Error(std::get<Error>(reply.result)); }, code, words);
}

RunReply RunBody(WorkerFunctionBody body, Call call = {}) {
  WorkerProgram program;
  program.AddFunction("f", std::move(body));
  call.function = "f";
  return program.Run(1, call);
}

Structure Nothing(const WorkerArguments&) { return Structure::Tuple({}); }

TEST(WorkerProgramTest, FunctionGetsPositionalAndNamedArguments) {
  const RunReply reply = RunBody(
      [](const WorkerArguments& in) -> Structure {
        const float a = in[0].leaf().item<float>();
        return Tensor::Scalar(a * 10 + in["b"].leaf().item<float>());
      },
      {.arguments = {Structure(Tensor::Scalar(4.0f))},
       .named_arguments = {{"b", Structure(Tensor::Scalar(2.0f))}}});
  EXPECT_EQ(std::get<Structure>(reply.result).leaf().item<float>(), 42);
  EXPECT_GE(reply.took.count(), 0);
}

TEST(WorkerProgramTest, FunctionRunsInItsClosure) {
  WorkerProgram program;
  program.AddFunction("f", [](const WorkerArguments&) -> Structure {
    return Tensor::Scalar(
        static_cast<int64_t>(ClosureScope::Current()->closure()));
  });
  const RunReply reply = program.Run(17, {.function = "f"});
  EXPECT_EQ(std::get<Structure>(reply.result).leaf().item<int64_t>(), 17);
  EXPECT_EQ(ClosureScope::Current(), nullptr);
}

TEST(WorkerProgramTest, ErrorsKeepTheirCode) {
  ExpectFailure(RunBody([](const WorkerArguments&) -> Structure {
                  throw OutOfRange("[Test] {}", "end");
                }),
                Code::kOutOfRange, "[Test] end");
  ExpectFailure(RunBody([](const WorkerArguments&) -> Structure {
                  throw std::runtime_error("oh");
                }),
                Code::kInternal, "the function threw: oh");
  ExpectFailure(RunBody([](const WorkerArguments&) -> Structure { throw 3; }),
                Code::kInternal, "no std::exception");
}

TEST(WorkerProgramTest, LostServerIsNoErrorOfTheFunction) {
  const RunReply reply = RunBody([](const WorkerArguments&) -> Structure {
    throw rpc::PeerLost("server 0 is gone");
  });
  EXPECT_EQ(std::get<ServerIsLost>(reply.result).text, "server 0 is gone");
}

TEST(WorkerProgramTest, MissingArgumentsAreInvalid) {
  ExpectFailure(RunBody([](const WorkerArguments& in) { return in[0]; }),
                Code::kInvalidArgument, "argument 0 of 0 does not exist");
  ExpectFailure(RunBody([](const WorkerArguments& in) { return in["x"]; }),
                Code::kInvalidArgument, "no argument 'x'");
  ExpectFailure(RunBody([](const WorkerArguments& in) { return in.Next(0); },
                        {.arguments = {Structure::Tuple({})}}),
                Code::kInvalidArgument, "not an iterator");
}

TEST(WorkerProgramTest, FunctionCannotMakeVariables) {
  ExpectFailure(RunBody([](const WorkerArguments&) -> Structure {
                  return MakeVariable({.initial_value =
                                           [] { return Tensor::Scalar(1.0f); },
                                       .name = "late"})
                      ->Read();
                }),
                Code::kFailedPrecondition, "got 'late'");
}

TEST(WorkerProgramTest, UnknownNamesAreNotFound) {
  WorkerProgram program;
  program.AddFunction("g", Nothing);
  ExpectFailure(program.Run(1, {.function = "f"}), Code::kNotFound,
                "no function 'f', only ['g']");
  program.Make({.id = {1}, .kind = Resource::kDataset, .call = {"d"}});
  ExpectFailure(program.Run(1, {.function = "g", .arguments = {ResourceId{1}}}),
                Code::kNotFound, "no dataset function 'd'");
  ExpectFailure(program.Run(1, {.function = "g", .arguments = {ResourceId{9}}}),
                Code::kNotFound, "no per-worker value 9");
}

TEST(WorkerProgramTest, NamesAreTakenOnce) {
  WorkerProgram program;
  program.AddFunction("f", Nothing);
  EXPECT_EQ(CodeOf([&] { program.AddFunction("f", Nothing); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { program.AddFunction("g", nullptr); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { program.AddDataset("d", nullptr); }),
            Code::kInvalidArgument);
}

// A program with a function "next" of an iterator over range(3).
class PerWorkerDatasetTest : public testing::Test {
 protected:
  PerWorkerDatasetTest() {
    program_.AddFunction("next",
                         [](const WorkerArguments& in) { return in.Next(0); });
    program_.AddDataset("range", [this](const InputContext& context) {
      ++num_calls_;
      context_ = ToString(context);
      return Dataset::Range(3);
    });
    program_.Make({.id = {1}, .kind = Resource::kDataset, .call = {"range"}});
    program_.Make({.id = {2}, .kind = Resource::kIterator, .dataset = {1}});
  }

  int64_t Next(int64_t iterator) {
    return std::get<Structure>(RunNext(iterator).result).leaf().item<int64_t>();
  }
  RunReply RunNext(int64_t iterator) {
    return program_.Run(
        1, {.function = "next", .arguments = {ResourceId{iterator}}});
  }

  WorkerProgram program_;
  int num_calls_ = 0;
  std::string context_;
};

TEST_F(PerWorkerDatasetTest, IteratorGoesOnFromCallToCall) {
  EXPECT_EQ(Next(2), 0);
  EXPECT_EQ(Next(2), 1);
  EXPECT_EQ(num_calls_, 1);
  EXPECT_EQ(context_,
            "tf.distribute.InputContext(input pipeline id 0, total: 1)");
}

TEST_F(PerWorkerDatasetTest, EndOfDataIsAnError) {
  for (int i = 0; i < 3; ++i) Next(2);
  ExpectFailure(RunNext(2), Code::kOutOfRange, "");
}

TEST_F(PerWorkerDatasetTest, AnotherIteratorBeginsAnew) {
  EXPECT_EQ(Next(2), 0);
  program_.Make({.id = {3}, .kind = Resource::kIterator, .dataset = {1}});
  EXPECT_EQ(Next(3), 0);
  EXPECT_EQ(Next(2), 1);
  EXPECT_EQ(num_calls_, 1);
}

TEST_F(PerWorkerDatasetTest, DatasetItselfIsNoArgument) {
  ExpectFailure(RunNext(1), Code::kInvalidArgument, "one of its iterators");
}

TEST_F(PerWorkerDatasetTest, ErrorOfTheDatasetFunctionIsTheUsers) {
  program_.AddDataset("bad", [](const InputContext&) -> Dataset {
    throw DataLoss("[Test] {}", "damaged");
  });
  program_.Make({.id = {4}, .kind = Resource::kDataset, .call = {"bad"}});
  program_.Make({.id = {5}, .kind = Resource::kIterator, .dataset = {4}});
  ExpectFailure(RunNext(5), Code::kDataLoss, "damaged");
  ExpectFailure(RunNext(5), Code::kDataLoss, "damaged");
}

TEST(WorkerValuesTest, ValuesAreMadeOnce) {
  WorkerProgram program;
  int num_calls = 0;
  program.AddFunction("make", [&](const WorkerArguments&) -> Structure {
    return Tensor::Scalar(static_cast<int64_t>(++num_calls));
  });
  program.AddFunction("get", [](const WorkerArguments& in) { return in[0]; });
  program.Make({.id = {1}, .kind = Resource::kValue, .call = {"make"}});
  for (int i = 0; i < 2; ++i) {
    const RunReply reply =
        program.Run(1, {.function = "get", .arguments = {ResourceId{1}}});
    EXPECT_EQ(std::get<Structure>(reply.result).leaf().item<int64_t>(), 1);
  }
}

}  // namespace
}  // namespace lockstep::coordinator_internal
