// Reductions of tensors whose memory the host cannot touch.
#include "reference/collectives/gpu_collectives.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/collectives/all_algorithms.h"
#include "reference/collectives/communicator.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/hierarchical_copy_all_reduce.h"
#include "reference/collectives/rank_threads.h"
#include "reference/collectives/reduction_to_one_device.h"
#include "reference/collectives/shared_memory_all_reduce.h"

namespace lockstep {
namespace {

using collectives_internal::GpuSum;
using Lists = std::vector<std::vector<Tensor>>;

// Rank r's list: 33 and 2 elements, so that pieces end within a tensor.
std::vector<Tensor> ListOf(int rank, Device& device) {
  return {Tensor::Full(Shape{33}, rank + 1.0f, device),
          Tensor::FromVector<float>({1.0f * rank, 5}, Shape{2}, device)};
}

class GpuCollectivesTest : public testing::TestWithParam<int> {
 protected:
  Lists MakeLists() {
    Lists lists;
    for (int r = 0; r < ranks_; ++r) lists.push_back(ListOf(r, fake_.gpu(r)));
    return lists;
  }
  void ExpectSums(const std::vector<Tensor>& sums, int rank, float divisor) {
    const float ids = ranks_ * (ranks_ - 1) / 2;
    EXPECT_EQ(&sums[0].device(), &fake_.gpu(rank));
    EXPECT_EQ(sums[0].ToVector<float>(),
              std::vector<float>(33, (ids + ranks_) / divisor));
    EXPECT_EQ(sums[1].ToVector<float>(),
              (std::vector<float>{ids / divisor, 5 * ranks_ / divisor}));
  }

  const int ranks_ = GetParam();
  FakeGpuCollectives fake_{ranks_};
};

TEST_P(GpuCollectivesTest, EveryAlgorithmSumsOnTheGpus) {
  for (const auto& ops : AllAlgorithms()) {
    SCOPED_TRACE(std::string(ops->name()));
    const Lists sums = ops->AllReduce(ReduceOp::kSum, MakeLists());
    const Lists means = ops->AllReduce(ReduceOp::kMean, MakeLists());
    for (int r = 0; r < ranks_; ++r) {
      ExpectSums(sums[r], r, 1);
      ExpectSums(means[r], r, ranks_);
    }
  }
  EXPECT_FALSE(fake_.sums().empty());
}

TEST_P(GpuCollectivesTest, RanksThatCallTogetherGetTheSame) {
  Communicator communicator(ranks_);
  for (const auto& ops : AllAlgorithms()) {
    Lists sums(ranks_);
    const auto errors = RunRanks(communicator, [&](int r) {
      DeviceScope scope(fake_.gpu(r));
      sums[r] = communicator.AllReduce(r, *ops, ReduceOp::kSum,
                                       ListOf(r, fake_.gpu(r)));
    });
    for (int r = 0; r < ranks_; ++r) {
      ASSERT_FALSE(errors[r]);
      ExpectSums(sums[r], r, 1);
    }
  }
}

TEST_P(GpuCollectivesTest, ValuesOfTheHostAreBroughtToTheRanksGpu) {
  Communicator communicator(ranks_);
  const SharedMemoryAllReduce ops;
  Lists sums(ranks_);
  const auto errors = RunRanks(communicator, [&](int r) {
    DeviceScope scope(fake_.gpu(r));
    sums[r] = communicator.AllReduce(r, ops, ReduceOp::kSum,
                                     ListOf(r, Device::Host()));
  });
  for (int r = 0; r < ranks_; ++r) {
    ASSERT_FALSE(errors[r]);
    if (ranks_ > 1) ExpectSums(sums[r], r, 1);
  }
}

TEST_P(GpuCollectivesTest, EachGpuDoesItsPartOfTheSharedSum) {
  SharedMemoryAllReduce().AllReduce(ReduceOp::kSum, MakeLists());
  const std::vector<GpuSum> sums = fake_.sums();
  for (size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(static_cast<int>(sums[i].from.size()), ranks_);
    EXPECT_EQ(static_cast<int>(sums[i].to.size()), ranks_);
  }
  // 4 units of 16 floats: with more ranks some have nothing to do.
  EXPECT_EQ(sums.size(), static_cast<size_t>(std::min(ranks_, 4)));
  EXPECT_EQ(sums.back().on, &fake_.gpu(ranks_ - 1));
}

TEST_P(GpuCollectivesTest, OneSumGoesWhereItIsWanted) {
  std::vector<Tensor> values;
  for (int r = 0; r < ranks_; ++r) {
    values.push_back(Tensor::Full(Shape{3}, r + 1.0f, fake_.gpu(r)));
  }
  const std::vector<float> wanted(3, ranks_ * (ranks_ + 1) / 2);
  Device& last = fake_.gpu(ranks_ - 1);
  for (Device* device : {&Device::Host(), &last}) {
    const Tensor sum = ReduceTo(*device, ReduceOp::kSum, values);
    EXPECT_EQ(&sum.device(), device);
    EXPECT_EQ(sum.ToVector<float>(), wanted);
    EXPECT_EQ(fake_.sums().back().on, device == &last ? &last : &fake_.gpu(0));
  }
  values.back() = values.back().ToHost();
  EXPECT_EQ(ReduceTo(Device::Host(), ReduceOp::kSum, values).ToVector<float>(),
            wanted);
}

INSTANTIATE_TEST_SUITE_P(Ranks, GpuCollectivesTest,
                         testing::Values(1, 2, 3, 4, 5));

TEST(GpuCollectivesErrorTest, CpusAndGpusDoNotReduceTogether) {
  FakeGpuCollectives fake(1);
  try {
    SharedMemoryAllReduce().AllReduce(
        ReduceOp::kSum, {ListOf(0, Device::Host()), ListOf(1, fake.gpu(0))});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_STREQ(
        error.what(),
        "[Reduce] replicas must be all CPUs or all GPUs, got values on "
        "CPU:0 and on GPU:0");
  }
}

TEST(GpuCollectivesErrorTest, AProgramWithoutABackendSaysSo) {
  FakeGpu gpu;
  const Tensor x = Tensor::Full(Shape{2}, 1.0f, gpu.device());
  try {
    SharedMemoryAllReduce().AllReduce(ReduceOp::kSum, {{x}, {x}});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
    EXPECT_STREQ(error.what(),
                 "[AllReduce] has no kernel for GPUs in this program");
  }
}

}  // namespace
}  // namespace lockstep
