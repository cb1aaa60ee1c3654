#include "reference/collectives/nccl/nccl_communicator.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>

#include "reference/collectives/nccl/fake_nccl.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{600'000};
constexpr milliseconds kShort{30};

class NcclCommunicatorTest : public testing::Test {
 protected:
  std::unique_ptr<NcclCommunicator> Make(milliseconds deadline = kLong,
                                         milliseconds poll_interval = kLong,
                                         std::vector<NcclMember> members = {
                                             {0, 0}, {1, 1}}) {
    return std::make_unique<NcclCommunicator>(
        nccl_, 2, members, exchange_,
        NcclOptions{.deadline = deadline, .poll_interval = poll_interval});
  }
  // Two members sum 5 floats.
  static void Sum(NcclCommunicator& communicator) {
    const std::vector<std::vector<NcclTransfer>> transfers(
        2, {{.count = 5, .dtype = DType::kFloat32}});
    const NcclStream streams[] = {nullptr, nullptr};
    communicator.AllReduceSumTogether(transfers, streams);
  }
  static void ExpectError(const std::function<void()>& call, Code code,
                          const std::string& part) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << error.what();
    }
  }

  FakeNccl nccl_;
  InProcessNcclIdExchange exchange_;
};

TEST_F(NcclCommunicatorTest, CallsOfOneMemberFormAGroup) {
  const auto communicator = Make();
  const NcclTransfer two[] = {{.count = 7, .dtype = DType::kInt64},
                              {.count = 1, .dtype = DType::kFloat64}};
  communicator->AllReduceSum(1, two, nullptr);
  communicator->Broadcast(0, {two, 1}, 1, nullptr);
  communicator->AllGather(0, {two, 1}, nullptr);
  EXPECT_EQ(nccl_.Calls(),
            (std::vector<std::string>{
                "start", "end",  // making the communicators
                "start", "sum 7 int64 rank 1", "sum 1 float64 rank 1", "end",
                "start", "broadcast 1 7 int64 rank 0", "end",  //
                "start", "gather 7 int64 rank 0", "end"}));
}

TEST_F(NcclCommunicatorTest, OneThreadServesAllMembersInOneGroup) {
  const auto communicator = Make();
  Sum(*communicator);
  const std::vector<std::string> calls = nccl_.Calls();
  EXPECT_EQ(std::vector(calls.begin() + 2, calls.end()),
            (std::vector<std::string>{"start", "sum 5 float32 rank 0",
                                      "sum 5 float32 rank 1", "end"}));
}

TEST_F(NcclCommunicatorTest, EndsByFinalizingAllAndAbortingNone) {
  Make().reset();
  EXPECT_EQ(nccl_.destroyed, 2);
  EXPECT_EQ(nccl_.aborted, 0);
}

TEST_F(NcclCommunicatorTest, RefusesRanksThatCannotBe) {
  ExpectError([&] { Make(kLong, kLong, {}); }, Code::kInvalidArgument,
              "no ranks");
  ExpectError(
      [&] {
        Make(kLong, kLong, {{2, 0}});
      },
      Code::kInvalidArgument, "0 .. 1 at most once, got rank 2");
  ExpectError(
      [&] {
        Make(kLong, kLong, {{-1, 0}});
      },
      Code::kInvalidArgument, "got rank -1");
  ExpectError(
      [&] {
        Make(kLong, kLong, {{1, 0}, {1, 1}});
      },
      Code::kInvalidArgument, "got rank 1 twice");
  ExpectError(
      [&] {
        Make(kLong, kLong, {{0, 3}, {1, 3}});
      },
      Code::kInvalidArgument, "NCCL_MULTI_RANK_GPU_ENABLE");
}

TEST_F(NcclCommunicatorTest, FailuresWhileItIsMadeAreTypedAndLeaveNothing) {
  nccl_.id_status = NcclStatus::kSystemError;
  ExpectError([&] { Make(); }, Code::kUnavailable,
              "NCCL: system error (the detail)");
  nccl_.id_status = NcclStatus::kSuccess;
  nccl_.init_status = NcclStatus::kInvalidUsage;
  ExpectError([&] { Make(); }, Code::kInvalidArgument, "invalid usage");
  EXPECT_EQ(nccl_.aborted, 2);
  nccl_.init_status = NcclStatus::kInProgress;
  nccl_.group_status = NcclStatus::kRemoteError;
  ExpectError([&] { Make(); }, Code::kUnavailable, "remote error");
  EXPECT_EQ(nccl_.aborted, 4);
}

TEST_F(NcclCommunicatorTest, MakingItEndsAtTheDeadline) {
  nccl_.busy_polls = -1;  // for ever
  ExpectError([&] { Make(kShort); }, Code::kDeadlineExceeded,
              "rank 0: not done within 30 ms");
  EXPECT_EQ(nccl_.aborted, 2);
}

TEST_F(NcclCommunicatorTest, AFailedCallAbortsAllAndStaysSo) {
  const auto communicator = Make();
  nccl_.call_status = NcclStatus::kUnhandledCudaError;
  ExpectError([&] { Sum(*communicator); }, Code::kInternal,
              "[AllReduce] NCCL: unhandled CUDA error");
  EXPECT_EQ(nccl_.aborted, 2);
  nccl_.call_status = NcclStatus::kSuccess;
  ExpectError([&] { Sum(*communicator); }, Code::kInternal, "CUDA error");
  EXPECT_EQ(nccl_.aborted, 2);
}

TEST_F(NcclCommunicatorTest, ACallThatNcclNeverFinishesEndsAtTheDeadline) {
  const auto communicator = Make(kShort);
  nccl_.busy_polls = -1;
  ExpectError([&] { Sum(*communicator); }, Code::kDeadlineExceeded,
              "[AllReduce] rank 0");
  EXPECT_EQ(nccl_.aborted, 2);
}

TEST_F(NcclCommunicatorTest, AnAsynchronousErrorAbortsAll) {
  const auto communicator = Make();
  Sum(*communicator);
  EXPECT_NO_THROW(communicator->Check());
  nccl_.SetState(1, NcclStatus::kRemoteError);
  EXPECT_FALSE(communicator->Poll(NcclCommunicator::Clock::now()));
  EXPECT_EQ(nccl_.aborted, 2);
  ExpectError([&] { communicator->Check(); }, Code::kUnavailable,
              "remote error (the detail)");
  ExpectError([&] { Sum(*communicator); }, Code::kUnavailable, "remote error");
}

TEST_F(NcclCommunicatorTest, WorkThatDoesNotEndIsAbortedAtTheDeadline) {
  const auto communicator = Make();
  nccl_.events_done = false;
  const auto begun = NcclCommunicator::Clock::now();
  Sum(*communicator);
  EXPECT_TRUE(communicator->Poll(begun + kLong));
  EXPECT_NO_THROW(communicator->Check());
  EXPECT_FALSE(communicator->Poll(begun + 2 * kLong));
  ExpectError([&] { communicator->Check(); }, Code::kDeadlineExceeded,
              "[AllReduce] rank 0: not done within 600000 ms");
  EXPECT_EQ(nccl_.aborted, 2);
}

TEST_F(NcclCommunicatorTest, FinishedWorkIsForgotten) {
  const auto communicator = Make();
  nccl_.events_done = false;
  Sum(*communicator);
  nccl_.events_done = true;
  const auto late = NcclCommunicator::Clock::now() + 2 * kLong;
  EXPECT_FALSE(communicator->Poll(late));
  EXPECT_NO_THROW(communicator->Check());
}

TEST_F(NcclCommunicatorTest, CapturedWorkIsNotWaitedFor) {
  const auto communicator = Make();
  nccl_.captured = true;
  nccl_.events_done = false;
  Sum(*communicator);
  EXPECT_FALSE(communicator->Poll(NcclCommunicator::Clock::now() + 2 * kLong));
  EXPECT_NO_THROW(communicator->Check());
}

TEST_F(NcclCommunicatorTest, AGraphThatWasQueuedMustEndInTime) {
  const auto communicator = Make();
  nccl_.captured = true;
  Sum(*communicator);
  nccl_.captured = false;
  nccl_.events_done = false;
  const auto begun = NcclCommunicator::Clock::now();
  for (const int member : {0, 1}) communicator->Watch(member, nullptr);
  EXPECT_TRUE(communicator->Poll(begun + kLong));
  EXPECT_FALSE(communicator->Poll(begun + 2 * kLong));
  ExpectError([&] { communicator->Watch(0, nullptr); }, Code::kDeadlineExceeded,
              "[StepGraph] rank 0: not done within 600000 ms");
}

TEST_F(NcclCommunicatorTest, TheWatchingThreadFindsWhatHangs) {
  const auto communicator = Make(kShort, milliseconds(1));
  nccl_.events_done = false;
  Sum(*communicator);
  const auto begun = NcclCommunicator::Clock::now();
  while (nccl_.aborted < 2 &&
         NcclCommunicator::Clock::now() - begun < std::chrono::seconds(20)) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  ExpectError([&] { communicator->Check(); }, Code::kDeadlineExceeded,
              "not done within 30 ms");
}

TEST_F(NcclCommunicatorTest, ProcessesShareTheIdOfTheirRoot) {
  std::thread other([&] { Make(kLong, kLong, {{1, 1}}); });
  Make(kLong, kLong, {{0, 0}});
  other.join();
  EXPECT_EQ(nccl_.destroyed, 2);
}

}  // namespace
}  // namespace lockstep
