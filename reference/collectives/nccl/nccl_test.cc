#include <gtest/gtest.h>
#include <stdlib.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/nccl/fake_nccl.h"
#include "reference/collectives/nccl/nccl_all_reduce.h"
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

TEST(NcclErrorTest, SuccessAndProgressAreNoErrors) {
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

TEST(RankPlacementTest, OneRankAGpuIsAlwaysRight) {
  const std::vector<int> gpus = {3, 0, 1};
  for (const NcclFeatures& nccl : {kOld, kNotEnabled, kNew}) {
    EXPECT_NO_THROW(CheckRankPlacement(gpus, nccl));
  }
  EXPECT_NO_THROW(CheckRankPlacement({}, kOld));
}

TEST(RankPlacementTest, SharingAGpuNeedsANewNcclToldSo) {
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

TEST(RankPlacementTest, TheEnvironmentMustSayOne) {
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

TEST(NcclIdExchangeTest, OnePartyGetsWhatItMakes) {
  InProcessNcclIdExchange exchange;
  EXPECT_EQ(exchange.Exchange(true, MakeId, kLong), MakeId());
}

TEST(NcclIdExchangeTest, OthersGetTheRootsIdWhoeverComesFirst) {
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

TEST(NcclIdExchangeTest, NobodyWaitsBeyondTheDeadline) {
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

using Lists = std::vector<std::vector<Tensor>>;

class NcclAllReduceTest : public testing::Test {
 protected:
  std::unique_ptr<NcclAllReduce> Make() {
    InProcessNcclIdExchange exchange;
    auto communicator = std::make_unique<NcclCommunicator>(
        nccl_, 2, std::vector<NcclMember>{{0, 0}, {1, 1}}, exchange,
        NcclOptions{.poll_interval = std::chrono::milliseconds(600'000)});
    return std::make_unique<NcclAllReduce>(
        std::move(communicator),
        std::vector<Device*>{&fake_.gpu(0), &fake_.gpu(1)},
        [this](const Device&, DeviceQueue queue) {
          queues_.push_back(queue);
          return nullptr;
        });
  }
  // 4 floats, nothing, and 2 int32.
  Lists TwoLists() {
    Lists lists;
    for (int r : {0, 1}) {
      Device& gpu = fake_.gpu(r);
      lists.push_back({Tensor::Full(Shape{4}, 1.0f, gpu),
                       Tensor::Zeros(Shape{0}, DType::kFloat32, gpu),
                       Tensor::Full<int32_t>(Shape{2}, 3, gpu)});
    }
    return lists;
  }
  std::vector<std::string> CallsAfterMaking() {
    const std::vector<std::string> calls = nccl_.Calls();
    return {calls.begin() + 2, calls.end()};
  }
  static void ExpectInvalid(const std::function<void()>& call,
                            const std::string& message) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      EXPECT_EQ(error.what(), message);
    }
  }

  std::vector<DeviceQueue> queues_;  // whose streams were asked for
  FakeNccl nccl_;
  FakeGpuCollectives fake_{3};
};

TEST_F(NcclAllReduceTest, OneCallerGivesAllRanksListsInOneGroup) {
  const auto ops = Make();
  const Lists sums = ops->AllReduce(ReduceOp::kSum, TwoLists());
  EXPECT_EQ(CallsAfterMaking(),
            (std::vector<std::string>{
                "start", "sum 4 float32 rank 0", "sum 2 int32 rank 0",
                "sum 4 float32 rank 1", "sum 2 int32 rank 1", "end"}));
  EXPECT_EQ(&sums[1][2].device(), &fake_.gpu(1));
  EXPECT_TRUE(fake_.sums().empty());
}

TEST_F(NcclAllReduceTest, ARankGivesItsOwnList) {
  const auto ops = Make();
  Lists inputs = TwoLists(), outputs = TwoLists();
  const Reduction reduction(ReduceOp::kSum, {&inputs[0], &inputs[1]},
                            {&outputs[0], &outputs[1]});
  ASSERT_EQ(ops->steps(2), 1);
  ops->RunStep(0, 1, reduction);
  EXPECT_EQ(CallsAfterMaking(),
            (std::vector<std::string>{"start", "sum 4 float32 rank 1",
                                      "sum 2 int32 rank 1", "end"}));
}

TEST_F(NcclAllReduceTest, TheWorkGoesToTheReductionsQueue) {
  const auto ops = Make();
  Lists inputs = TwoLists(), outputs = TwoLists();
  const auto run = [&](ReduceOp op, DeviceQueue queue) {
    ops->RunStep(0, 1,
                 Reduction(op, {&inputs[0], &inputs[1]},
                           {&outputs[0], &outputs[1]}, queue));
  };
  run(ReduceOp::kSum, DeviceQueue::kCompute);
  run(ReduceOp::kSum, DeviceQueue::kCommunication);
  EXPECT_EQ(queues_, (std::vector<DeviceQueue>{DeviceQueue::kCompute,
                                               DeviceQueue::kCommunication}));
  // The division too, in the stream behind it.
  inputs = {{inputs[0][0]}, {inputs[1][0]}};
  outputs = {{outputs[0][0]}, {outputs[1][0]}};
  run(ReduceOp::kMean, DeviceQueue::kCommunication);
  ASSERT_EQ(fake_.sums().size(), 1u);
  EXPECT_EQ(fake_.sums()[0].queue, DeviceQueue::kCommunication);
}

TEST_F(NcclAllReduceTest, TheMeanIsDividedWhereItLies) {
  const auto ops = Make();
  Lists inputs = {{Tensor::Full(Shape{4}, 1.0f, fake_.gpu(0))},
                  {Tensor::Full(Shape{4}, 1.0f, fake_.gpu(1))}};
  // As NCCL would have left them: the sums.
  Lists outputs = {{Tensor::Full(Shape{4}, 6.0f, fake_.gpu(0))},
                   {Tensor::Full(Shape{4}, 6.0f, fake_.gpu(1))}};
  ops->RunAll(Reduction(ReduceOp::kMean, {&inputs[0], &inputs[1]},
                        {&outputs[0], &outputs[1]}));
  ASSERT_EQ(fake_.sums().size(), 2u);
  for (int r : {0, 1}) {
    EXPECT_EQ(fake_.sums()[r].on, &fake_.gpu(r));
    EXPECT_EQ(outputs[r][0].ToVector<float>(), std::vector<float>(4, 3.0f));
  }
}

TEST_F(NcclAllReduceTest, RefusesOtherDevicesAndNumbersOfRanks) {
  const auto ops = Make();
  Lists swapped = TwoLists();
  std::swap(swapped[0], swapped[1]);
  ExpectInvalid([&] { ops->AllReduce(ReduceOp::kSum, swapped); },
                "[AllReduce] rank 0 is on GPU:0, got a tensor on GPU:1");
  Lists three = TwoLists();
  three.push_back({Tensor::Full(Shape{4}, 1.0f, fake_.gpu(2)),
                   Tensor::Zeros(Shape{0}, DType::kFloat32, fake_.gpu(2)),
                   Tensor::Full<int32_t>(Shape{2}, 3, fake_.gpu(2))});
  ExpectInvalid([&] { ops->AllReduce(ReduceOp::kSum, three); },
                "[AllReduce] wanted 2 ranks, as NCCL connects, got 3");
}

TEST_F(NcclAllReduceTest, CheckShowsWhatTheCommunicatorWasAbortedFor) {
  const auto ops = Make();
  EXPECT_NO_THROW(ops->Check());
  nccl_.call_status = NcclStatus::kSystemError;
  EXPECT_THROW(ops->AllReduce(ReduceOp::kSum, TwoLists()), Error);
  EXPECT_THROW(ops->Check(), Error);
}

}  // namespace
}  // namespace lockstep
