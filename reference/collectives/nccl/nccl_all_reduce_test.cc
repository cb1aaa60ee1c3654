#include "reference/collectives/nccl/nccl_all_reduce.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "reference/base/error.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/nccl/fake_nccl.h"

namespace lockstep {
namespace {

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
