// In which order a worker runs what it is asked for, and when it ends.
#include "reference/parameter_server/coordinator/worker_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::coordinator_internal {
namespace {

using testing::ElementsAre;

const rpc::Caller kCoordinator{
    .role = "coordinator", .address = "", .stream = 1};

// A service on its thread, with functions "good", "bad" and "slow"; the last
// waits for Release.
class WorkerServiceTest : public testing::Test {
 protected:
  WorkerServiceTest() : service_(program_) {
    program_.AddFunction("good", [](const WorkerArguments&) -> Structure {
      return Tensor::Scalar(1.0f);
    });
    program_.AddFunction("bad", [](const WorkerArguments&) -> Structure {
      throw InvalidArgument("[Test] {}", "bad");
    });
    program_.AddFunction("slow", [this](const WorkerArguments&) -> Structure {
      begun_.set_value();
      released_.get_future().wait();
      return Tensor::Scalar(2.0f);
    });
    service_.Joined(kCoordinator);
    thread_ = std::thread([this] { service_.RunUntilEnd(); });
  }
  ~WorkerServiceTest() override {
    service_.Left(kCoordinator);
    service_.ServersGone();
    thread_.join();
  }

  std::future<RunReply> Run(const std::string& function, uint64_t epoch = 0,
                            const rpc::Caller& caller = kCoordinator) {
    auto reply = std::make_shared<std::promise<RunReply>>();
    std::future<RunReply> future = reply->get_future();
    service_.Handle(caller, ToMessage(1, epoch, {.function = function}),
                    [reply](rpc::Outcome outcome) {
                      reply->set_value(ReplyOf(outcome.Take()));
                    });
    return future;
  }
  void Release() { released_.set_value(); }

  static bool WasRun(std::future<RunReply>& reply) {
    return !std::holds_alternative<NotRun>(reply.get().result);
  }

  WorkerProgram program_;
  WorkerService service_;
  std::promise<void> begun_;
  std::promise<void> released_;
  std::thread thread_;
};

TEST_F(WorkerServiceTest, AnswersWithTheResult) {
  EXPECT_EQ(std::get<Structure>(Run("good").get().result).leaf().item<float>(),
            1);
}

TEST_F(WorkerServiceTest, NothingRunsBehindAFailure) {
  auto slow = Run("slow");
  auto bad = Run("bad");
  auto behind = Run("good");
  auto behind_too = Run("bad");
  auto next_epoch = Run("good", 1);
  Release();
  EXPECT_TRUE(WasRun(slow));
  EXPECT_TRUE(std::holds_alternative<Error>(bad.get().result));
  EXPECT_FALSE(WasRun(behind));
  EXPECT_FALSE(WasRun(behind_too));
  EXPECT_TRUE(WasRun(next_epoch));
}

TEST_F(WorkerServiceTest, RecalledClosuresDoNotRun) {
  auto slow = Run("slow");
  begun_.get_future().wait();
  auto behind = Run("good");
  bool answered = false;
  service_.Handle(kCoordinator, ToMessage(RecallRequest{1}),
                  [&](const rpc::Outcome&) { answered = true; });
  EXPECT_TRUE(answered);
  Release();
  EXPECT_TRUE(WasRun(slow));
  EXPECT_FALSE(WasRun(behind));
}

TEST_F(WorkerServiceTest, RequestsOfABrokenStreamAreDropped) {
  auto slow = Run("slow");
  auto dropped = Run("good");
  const rpc::Caller again{.role = "coordinator", .address = "", .stream = 2};
  service_.Left(kCoordinator);
  service_.Joined(again);
  auto late = Run("good");
  auto next = Run("good", 0, again);
  Release();
  EXPECT_TRUE(WasRun(next));
  EXPECT_THROW(dropped.get(), std::future_error);
  EXPECT_THROW(late.get(), std::future_error);
  service_.Left(again);
}

TEST_F(WorkerServiceTest, ServesTheCoordinatorOnly) {
  EXPECT_EQ(CodeOf([&] {
              service_.Joined({.role = "worker", .index = 1, .address = ""});
            }),
            Code::kFailedPrecondition);
}

TEST_F(WorkerServiceTest, MalformedRequestIsAnError) {
  EXPECT_EQ(CodeOf([&] {
              service_.Handle(kCoordinator, {.head = "\xff"},
                              [](const rpc::Outcome&) {});
            }),
            Code::kInvalidArgument);
  auto next = Run("good");
  EXPECT_TRUE(WasRun(next));
}

TEST_F(WorkerServiceTest, CoordinatorMayUseItAfterAServerIsLost) {
  service_.ServersGone();
  auto next = Run("good");
  EXPECT_TRUE(WasRun(next));
}

}  // namespace
}  // namespace lockstep::coordinator_internal
