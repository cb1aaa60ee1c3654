#include <gtest/gtest.h>
#include <stdlib.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/nccl/fake_nccl.h"
#include "reference/collectives/nccl/nccl_api.h"
#include "reference/collectives/nccl/nccl_communicator.h"

namespace lockstep {
namespace {

TEST(NcclErrorTest, EveryFailureHasACodeAndAName) {
  struct Case {
    NcclStatus status;
    Code code;
    const char* message;
  };
  const std::vector<Case> cases = {
      {NcclStatus::kUnhandledCudaError, Code::kInternal,
       "[Broadcast] NCCL: unhandled CUDA error (why)"},
      {NcclStatus::kSystemError, Code::kUnavailable,
       "[Broadcast] NCCL: system error (why)"},
      {NcclStatus::kInternalError, Code::kInternal,
       "[Broadcast] NCCL: internal error (why)"},
      {NcclStatus::kInvalidArgument, Code::kInvalidArgument,
       "[Broadcast] NCCL: invalid argument (why)"},
      {NcclStatus::kInvalidUsage, Code::kInvalidArgument,
       "[Broadcast] NCCL: invalid usage (why)"},
      {NcclStatus::kRemoteError, Code::kUnavailable,
       "[Broadcast] NCCL: remote error (why)"}};
  for (const Case& c : cases) {
    const Error error = NcclFailure("Broadcast", c.status, "why");
    EXPECT_EQ(error.code(), c.code);
    EXPECT_STREQ(error.what(), c.message);
    EXPECT_THROW(CheckNccl("Broadcast", c.status), Error);
  }
  EXPECT_STREQ(NcclFailure("AllGather", NcclStatus::kRemoteError, "").what(),
               "[AllGather] NCCL: remote error");
}

TEST(NcclErrorTest, SuccessAndProgressAreNotErrors) {
  EXPECT_NO_THROW(CheckNccl("AllReduce", NcclStatus::kSuccess));
  EXPECT_NO_THROW(CheckNccl("AllReduce", NcclStatus::kInProgress));
  EXPECT_EQ(NcclStatusName(NcclStatus::kSuccess), "success");
  EXPECT_EQ(NcclStatusName(NcclStatus::kInProgress), "in progress");
}

TEST(NcclErrorTest, VersionsAreDecoded) {
  EXPECT_EQ(FormatNcclVersion(22809), "2.28.9");
  EXPECT_EQ(FormatNcclVersion(23003), "2.30.3");
}

constexpr NcclFeatures kOld{.version = 22809, .multi_rank_gpu = true};
constexpr NcclFeatures kNotEnabled{.version = 23004, .multi_rank_gpu = false};
constexpr NcclFeatures kNew{.version = 23000, .multi_rank_gpu = true};

TEST(RankPlacementTest, OneRankPerGpuIsAlwaysAllowed) {
  const std::vector<int> gpus = {3, 0, 1};
  for (const NcclFeatures& nccl : {kOld, kNotEnabled, kNew}) {
    EXPECT_NO_THROW(CheckRankPlacement(gpus, nccl));
  }
  EXPECT_NO_THROW(CheckRankPlacement({}, kOld));
}

TEST(RankPlacementTest, SharingAGpuNeedsANewNcclWithTheSetting) {
  const std::vector<int> gpus = {0, 1, 1};
  EXPECT_NO_THROW(CheckRankPlacement(gpus, kNew));
  EXPECT_THROW(CheckRankPlacement(gpus, kNotEnabled), Error);
  try {
    CheckRankPlacement(gpus, kOld);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_STREQ(error.what(),
                 "[NcclCommunicator] ranks 1 and 2 are both on GPU 1; wanted "
                 "one rank a GPU, or NCCL 2.30 or later with "
                 "NCCL_MULTI_RANK_GPU_ENABLE=1, got NCCL 2.28.9 with it set");
  }
}

TEST(RankPlacementTest, TheSettingMustBeOne) {
  constexpr char kVariable[] = "NCCL_MULTI_RANK_GPU_ENABLE";
  unsetenv(kVariable);
  EXPECT_FALSE(NcclMultiRankGpuEnabled());
  setenv(kVariable, "0", 1);
  EXPECT_FALSE(NcclMultiRankGpuEnabled());
  setenv(kVariable, "1", 1);
  EXPECT_TRUE(NcclMultiRankGpuEnabled());
  unsetenv(kVariable);
}

using std::chrono::milliseconds;

constexpr milliseconds kLong{600'000};

NcclUniqueId MakeId() {
  NcclUniqueId id;
  id.bytes = {'a', 'b'};
  return id;
}

NcclUniqueId MakeNothing() {
  throw Unavailable("[Test] {}", "no id to be had");
}

TEST(NcclIdExchangeTest, OnePartyGetsItsOwnId) {
  InProcessNcclIdExchange exchange;
  EXPECT_EQ(exchange.Exchange(true, MakeId, kLong), MakeId());
}

TEST(NcclIdExchangeTest, OthersGetTheRootsIdInAnyOrder) {
  for (const bool root_first : {true, false}) {
    InProcessNcclIdExchange exchange;
    NcclUniqueId got;
    if (root_first) exchange.Exchange(true, MakeId, kLong);
    std::thread other(
        [&] { got = exchange.Exchange(false, MakeNothing, kLong); });
    if (!root_first) exchange.Exchange(true, MakeId, kLong);
    other.join();
    EXPECT_EQ(got, MakeId());
  }
}

TEST(NcclIdExchangeTest, AFailedRootReleasesTheOthers) {
  InProcessNcclIdExchange exchange;
  Code code = Code::kInternal;
  std::thread other([&] {
    try {
      exchange.Exchange(false, MakeId, kLong);
    } catch (const Error& error) {
      code = error.code();
    }
  });
  EXPECT_THROW(exchange.Exchange(true, MakeNothing, kLong), Error);
  other.join();
  EXPECT_EQ(code, Code::kUnavailable);
}

TEST(NcclIdExchangeTest, NoWorkerWaitsBeyondTheDeadline) {
  InProcessNcclIdExchange exchange;
  try {
    exchange.Exchange(false, MakeId, milliseconds(5));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kDeadlineExceeded);
    EXPECT_STREQ(error.what(),
                 "[NcclIdExchange] no id from the root within 5 ms");
  }
}

constexpr milliseconds kShort{30};

class NcclCommunicatorTest : public testing::Test {
 protected:
  std::unique_ptr<NcclCommunicator> Make(milliseconds deadline = kLong,
                                         milliseconds poll_interval = kLong,
                                         std::vector<NcclMember> members = {
                                             {0, 0}, {1, 1}}) {
    return std::make_unique<NcclCommunicator>(
        nccl_, 2, members, exchange_,
        NcclOptions{.connect_limit = deadline,
                    .deadline = deadline,
                    .poll_interval = poll_interval});
  }
  // Two members sum 5 floats.
  static void Sum(NcclCommunicator& communicator) {
    const NcclTransfer five[] = {{.count = 5, .dtype = DType::kFloat32}};
    for (const int member : {0, 1}) {
      communicator.AllReduceSum(member, five, nullptr);
    }
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
  communicator->AllReduceSum(0, {two, 1}, nullptr);
  EXPECT_EQ(nccl_.Calls(),
            (std::vector<std::string>{
                "start", "end",  // making the communicators
                "start", "sum 7 int64 rank 1", "sum 1 float64 rank 1", "end",
                "start", "sum 7 int64 rank 0", "end"}));
}

TEST_F(NcclCommunicatorTest, EndsByFinalizingAllAndAbortingNone) {
  Make().reset();
  EXPECT_EQ(nccl_.destroyed, 2);
  EXPECT_EQ(nccl_.aborted, 0);
}

TEST_F(NcclCommunicatorTest, RefusesInvalidRanks) {
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

TEST_F(NcclCommunicatorTest, FailuresOfTheConstructorAreTypedAndLeaveNothing) {
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

TEST_F(NcclCommunicatorTest, TheConstructorEndsAtTheDeadline) {
  nccl_.busy_polls = -1;  // forever
  ExpectError([&] { Make(kShort); }, Code::kDeadlineExceeded,
              "rank 0: not done within 30 ms");
  EXPECT_EQ(nccl_.aborted, 2);
}

TEST_F(NcclCommunicatorTest, AFailedCallAbortsAllForGood) {
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

TEST_F(NcclCommunicatorTest, AQueuedGraphMustEndInTime) {
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

TEST_F(NcclCommunicatorTest, TheWatchingThreadFindsAHang) {
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
