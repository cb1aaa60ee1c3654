// Requests and replies survive the way to the other process, other bytes do not.
#include "reference/parameter_server/coordinator/worker_messages.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"

namespace lockstep::coordinator_internal {
namespace {

Structure SomeStructure() {
  return Structure::Dict(
      {{"a", Tensor::Scalar(1.0f)},
       {"b", Structure::Tuple({Tensor::FromVector<int64_t>({2, 3}),
                               Structure::Tuple({})})}});
}

TEST(WorkerMessagesTest, RunArrivesAsItWasSent) {
  const Call call{.function = "step",
                  .arguments = {SomeStructure(), ResourceId{5}},
                  .named_arguments = {{"x", Structure(Tensor::Scalar(4.0f))}}};
  const rpc::Message message = ToMessage(7, 3, call);
  EXPECT_EQ(message.tensors.size(), 3u);
  const auto run = std::get<RunRequest>(RequestOf(message));
  EXPECT_EQ(run.number, 7u);
  EXPECT_EQ(run.epoch, 3u);
  EXPECT_EQ(run.call.function, "step");
  ASSERT_EQ(run.call.arguments.size(), 2u);
  EXPECT_EQ(ToString(std::get<Structure>(run.call.arguments[0])),
            "{'a': 1, 'b': ([2, 3], ())}");
  EXPECT_EQ(std::get<ResourceId>(run.call.arguments[1]).value, 5);
  EXPECT_EQ(ToString(std::get<Structure>(run.call.named_arguments.at("x"))),
            "4");
}

TEST(WorkerMessagesTest, ResourceArrivesAsItWasSent) {
  const auto got = std::get<Resource>(
      RequestOf(ToMessage(Resource{.id = {2},
                                   .kind = Resource::kIterator,
                                   .call = {.function = "f"},
                                   .dataset = {1}})));
  EXPECT_EQ(got.id.value, 2);
  EXPECT_EQ(got.kind, Resource::kIterator);
  EXPECT_EQ(got.call.function, "f");
  EXPECT_EQ(got.dataset.value, 1);
}

TEST(WorkerMessagesTest, RecallArrivesAsItWasSent) {
  EXPECT_EQ(
      std::get<RecallRequest>(RequestOf(ToMessage(RecallRequest{9}))).epoch,
      9u);
}

TEST(WorkerMessagesTest, RepliesArriveAsTheyWereSent) {
  const RunReply value = ReplyOf(ToMessage(RunReply{
      .result = SomeStructure(), .took = std::chrono::nanoseconds(12)}));
  EXPECT_EQ(ToString(std::get<Structure>(value.result)),
            "{'a': 1, 'b': ([2, 3], ())}");
  EXPECT_EQ(value.took.count(), 12);
  const RunReply error =
      ReplyOf(ToMessage(RunReply{.result = OutOfRange("[GetNext] {}", "end")}));
  EXPECT_EQ(std::get<Error>(error.result).code(), Code::kOutOfRange);
  EXPECT_STREQ(std::get<Error>(error.result).what(), "[GetNext] end");
  EXPECT_TRUE(std::holds_alternative<NotRun>(
      ReplyOf(ToMessage(RunReply{.result = NotRun()})).result));
  EXPECT_EQ(
      std::get<ServerIsLost>(
          ReplyOf(ToMessage(RunReply{.result = ServerIsLost{"gone"}})).result)
          .text,
      "gone");
}

TEST(WorkerMessagesTest, OtherBytesAreRefused) {
  for (const char* bytes : {"", "\xff\xff", "hello"}) {
    EXPECT_EQ(CodeOf([&] { RequestOf({.head = bytes}); }),
              Code::kInvalidArgument);
    EXPECT_EQ(CodeOf([&] { ReplyOf({.head = bytes}); }),
              Code::kInvalidArgument);
  }
}

TEST(WorkerMessagesTest, MissingAndFurtherTensorsAreRefused) {
  const Call call{.function = "step", .arguments = {SomeStructure()}};
  rpc::Message message = ToMessage(1, 0, call);
  message.tensors.pop_back();
  EXPECT_EQ(CodeOf([&] { RequestOf(message); }), Code::kInvalidArgument);
  message.tensors.resize(3);
  EXPECT_EQ(CodeOf([&] { RequestOf(message); }), Code::kInvalidArgument);
  rpc::Message reply = ToMessage(RunReply{.result = SomeStructure()});
  reply.tensors.clear();
  EXPECT_EQ(CodeOf([&] { ReplyOf(reply); }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::coordinator_internal
