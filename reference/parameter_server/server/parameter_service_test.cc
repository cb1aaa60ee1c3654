#include "reference/parameter_server/server/parameter_service.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::parameter_server {
namespace {

const rpc::Caller kCoordinator{
    .role = "coordinator", .address = "c", .stream = 1};
const rpc::Caller kWorker{.role = "worker", .address = "w", .stream = 2};

class ParameterServiceTest : public testing::Test {
 protected:
  ParameterServiceTest() {
    service_.Joined(kCoordinator);
    service_.Joined(kWorker);
  }

  // The reply, which must be given at once.
  rpc::Message Ask(const rpc::Caller& caller, const Request& request,
                   const std::vector<Tensor>& tensors = {}) {
    std::optional<rpc::Outcome> outcome;
    service_.Handle(caller, {request.SerializeAsString(), tensors},
                    [&](rpc::Outcome got) { outcome = std::move(got); });
    EXPECT_TRUE(outcome.has_value());
    return outcome->Take();
  }

  void CreateW() {
    Request request;
    request.mutable_create()->set_variable(7);
    request.mutable_create()->set_name("w");
    Ask(kCoordinator, request, {Tensor::Scalar(1.0f)});
  }

  ParameterService service_;
};

Request ReadOf(uint64_t variable) {
  Request request;
  request.mutable_read()->add_variables(variable);
  return request;
}

Request AwaitOf(uint64_t index, const std::string& name) {
  Request request;
  request.mutable_await()->set_index(index);
  request.mutable_await()->set_name(name);
  return request;
}

Request PublishOf(uint64_t index, const std::string& name) {
  Request request;
  request.mutable_publish()->set_index(index);
  request.mutable_publish()->mutable_variable()->set_name(name);
  return request;
}

TEST_F(ParameterServiceTest, CreatesUpdatesAndReads) {
  CreateW();
  Request request;
  Change& change = *request.mutable_update()->add_changes();
  change.set_variable(7);
  change.set_kind(Change::ADD);
  change.set_wants_value(true);
  const rpc::Message after =
      Ask(kWorker, request, {Tensor::Scalar(2.0f), Tensor()});
  EXPECT_EQ(after.tensors[0].item<float>(), 3);
  const rpc::Message read = Ask(kWorker, ReadOf(7), {Tensor()});
  EXPECT_EQ(read.tensors[0].item<float>(), 3);
  Values values;
  ASSERT_TRUE(values.ParseFromString(read.head));
  EXPECT_EQ(values.changes(0), 1);
}

TEST_F(ParameterServiceTest, AwaitsAVariable) {
  std::string got;
  service_.Handle(kWorker, {AwaitOf(0, "w").SerializeAsString()},
                  [&](rpc::Outcome outcome) {
                    Published published;
                    published.ParseFromString(outcome.Take().head);
                    got = published.name();
                  });
  EXPECT_EQ(got, "");
  Ask(kCoordinator, PublishOf(0, "w"));
  EXPECT_EQ(got, "w");
  Published again;
  again.ParseFromString(Ask(kWorker, AwaitOf(0, "w")).head);
  EXPECT_EQ(again.name(), "w");
}

TEST_F(ParameterServiceTest, ProcessesMustMakeTheSameVariables) {
  Ask(kCoordinator, PublishOf(0, "w"));
  ExpectError([&] { Ask(kWorker, AwaitOf(0, "b")); }, Code::kFailedPrecondition,
              "number 0 of the coordinator is 'w', here it is 'b'");
  ExpectError([&] { Ask(kCoordinator, PublishOf(0, "w")); },
              Code::kFailedPrecondition, "variable 0 has been published");
}

TEST_F(ParameterServiceTest, WhoWaitsLearnsThatTheCoordinatorHasEnded) {
  std::optional<rpc::Outcome> outcome;
  service_.Handle(kWorker, {AwaitOf(0, "w").SerializeAsString()},
                  [&](rpc::Outcome got) { outcome = std::move(got); });
  service_.Left(kWorker);
  EXPECT_FALSE(outcome.has_value());
  service_.Left(kCoordinator);
  ExpectError([&] { outcome.value().Take(); }, Code::kUnavailable,
              "the coordinator has ended");
  service_.WaitForEnd(Deadline::clock::now());
  ExpectError([&] { service_.Joined(kWorker); }, Code::kFailedPrecondition,
              "start this server again");
}

TEST_F(ParameterServiceTest, ThereIsOneCoordinator) {
  const rpc::Caller second{.role = "coordinator", .address = "d", .stream = 3};
  ExpectError([&] { service_.Joined(second); }, Code::kFailedPrecondition,
              "there is a coordinator");
  service_.Left(second);
  EXPECT_EQ(Ask(kCoordinator, PublishOf(0, "w")).head, "");
  ExpectError([&] { Ask(kWorker, PublishOf(1, "b")); }, Code::kInvalidArgument,
              "only the coordinator");
}

TEST(ParameterServiceWaitTest, GivesUpWithoutACoordinator) {
  ParameterService service;
  service.Joined(kWorker);
  ExpectError([&] { service.WaitForEnd(Deadline::clock::now()); },
              Code::kDeadlineExceeded, "no coordinator has come");
}

TEST_F(ParameterServiceTest, RefusesWhatIsNoRequest) {
  const auto refuse = [&](const std::string& head,
                          const std::vector<Tensor>& tensors,
                          const std::string& words) {
    ExpectError(
        [&] {
          service_.Handle(kWorker, {head, tensors}, [](rpc::Outcome) {});
        },
        Code::kInvalidArgument, words);
  };
  CreateW();
  refuse("", {}, "0 bytes are not a request");
  refuse("\xff\xff", {}, "2 bytes are not a request");
  refuse(ReadOf(7).SerializeAsString(), {}, "0 lists of rows for 1 variables");
  refuse(ReadOf(7).SerializeAsString(), {Tensor::FromVector<int64_t>({0})},
         "'w' is a scalar");
  Request update;
  Change& change = *update.mutable_update()->add_changes();
  change.set_variable(7);
  refuse(update.SerializeAsString(), {Tensor::Scalar(1.0f)},
         "2 tensors are wanted, got 1");
  change.set_kind(static_cast<Change::Kind>(9));
  refuse(update.SerializeAsString(), {Tensor::Scalar(1.0f), Tensor()},
         "there is no kind 9");
}

}  // namespace
}  // namespace lockstep::parameter_server
