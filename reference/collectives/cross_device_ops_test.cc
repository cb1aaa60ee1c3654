#include "reference/collectives/cross_device_ops.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "reference/base/random.h"
#include "reference/base/thread_team.h"
#include "reference/collectives/all_algorithms.h"
#include "reference/collectives/communicator.h"
#include "reference/collectives/hierarchical_copy_all_reduce.h"
#include "reference/collectives/rank_threads.h"
#include "reference/collectives/reduction_to_one_device.h"
#include "reference/collectives/shared_memory_all_reduce.h"

namespace lockstep {
namespace {

using Lists = std::vector<std::vector<Tensor>>;

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

// Small integers: every sum is exact in float32, in whatever order.
Tensor RandomIntegers(Random& random, int64_t count) {
  Tensor tensor = Tensor::Empty(Shape{count});
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_data<float>()[i] =
        static_cast<float>(random.UniformInt(2001)) - 1000;
  }
  return tensor;
}

Lists RandomLists(Random& random, int replicas,
                  const std::vector<int64_t>& counts) {
  Lists lists(replicas);
  for (std::vector<Tensor>& list : lists) {
    for (int64_t count : counts) list.push_back(RandomIntegers(random, count));
  }
  return lists;
}

// The sum over the replicas, by the definition.
std::vector<double> Sum(const Lists& lists, size_t tensor) {
  std::vector<double> sums(lists[0][tensor].num_elements(), 0.0);
  for (const std::vector<Tensor>& list : lists) {
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] += list[tensor].at<float>(i);
    }
  }
  return sums;
}

Lists ReduceTogether(const CrossDeviceOps& ops, ReduceOp op,
                     const Lists& lists) {
  Communicator communicator(static_cast<int>(lists.size()));
  Lists results(lists.size());
  const auto errors = RunRanks(communicator, [&](int r) {
    results[r] = communicator.AllReduce(r, ops, op, lists[r]);
  });
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

RC_GTEST_PROP(CrossDeviceOpsTest, AllReduceIsTheExactSumEverywhere, ()) {
  const int replicas = *rc::gen::inRange(1, 9);
  const auto counts = *rc::gen::container<std::vector<int64_t>>(
      rc::gen::inRange<int64_t>(0, 3000));
  Random random(*rc::gen::arbitrary<uint64_t>());
  const Lists lists = RandomLists(random, replicas, counts);
  for (const auto& ops : AllAlgorithms()) {
    for (const Lists& results : {ops->AllReduce(ReduceOp::kSum, lists),
                                 ReduceTogether(*ops, ReduceOp::kSum, lists)}) {
      for (size_t i = 0; i < counts.size(); ++i) {
        const std::vector<double> expected = Sum(lists, i);
        for (const std::vector<Tensor>& result : results) {
          const std::vector<float> got = result[i].ToVector<float>();
          RC_ASSERT(std::vector<double>(got.begin(), got.end()) == expected);
        }
      }
    }
  }
}

TEST(CrossDeviceOpsTest, AllCopiesHoldTheSameBitsEveryTime) {
  Random random(7);
  for (int replicas : {2, 3, 4, 5, 8}) {
    Lists lists(replicas);
    for (std::vector<Tensor>& list : lists) {
      Tensor tensor = Tensor::Empty(Shape{20011});
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        tensor.mutable_data<float>()[i] = static_cast<float>(random.Normal());
      }
      list.push_back(tensor);
    }
    for (const auto& ops : AllAlgorithms()) {
      const Tensor first = ops->AllReduce(ReduceOp::kMean, lists)[0][0];
      for (int run = 0; run < 3; ++run) {
        for (const auto& result :
             ReduceTogether(*ops, ReduceOp::kMean, lists)) {
          EXPECT_TRUE(BitwiseEqual(result[0], first)) << ops->name();
        }
      }
    }
  }
}

TEST(CrossDeviceOpsTest, ValuesAreAddedInTheStatedOrder) {
  // 1e8 + 1 rounds to 1e8 in float32. Rank order: ((1e8 + 1) - 1e8) + 1 = 1;
  // in groups of two: (1e8 + 1) + (-1e8 + 1) = 1e8 - 1e8 = 0 (-1e8 + 1 rounds).
  const Lists lists = {
      {Row({1e8f})}, {Row({1.0f})}, {Row({-1e8f})}, {Row({1.0f})}};
  const float expected[] = {1.0f, 1.0f, 0.0f};
  const auto algorithms = AllAlgorithms();
  for (size_t i = 0; i < algorithms.size(); ++i) {
    const Lists sums = algorithms[i]->AllReduce(ReduceOp::kSum, lists);
    for (const auto& sum : sums) EXPECT_EQ(sum[0].at<float>(0), expected[i]);
  }
}

TEST(CrossDeviceOpsTest, MeanOfIntegersIsFloat64) {
  const Lists lists = {{Tensor::Scalar<int32_t>(1)},
                       {Tensor::Scalar<int32_t>(2)}};
  for (const auto& ops : AllAlgorithms()) {
    for (const auto& mean : ops->AllReduce(ReduceOp::kMean, lists)) {
      EXPECT_EQ(mean[0].item<double>(), 1.5);
    }
    for (const auto& sum : ops->AllReduce(ReduceOp::kSum, lists)) {
      EXPECT_EQ(sum[0].item<int32_t>(), 3);
    }
  }
}

TEST(CrossDeviceOpsTest, LargeListsUseTheTeamAndStream) {
  ThreadTeam team(3);
  ThreadTeamScope scope(&team);
  const int64_t count = (9 << 20) / 4 + 5;  // beyond the streaming threshold
  const Lists lists = {{Tensor::Full(Shape{count}, 1.0f)},
                       {Tensor::Full(Shape{count}, 2.0f)}};
  for (const auto& ops : AllAlgorithms()) {
    for (const auto& sum : ops->AllReduce(ReduceOp::kSum, lists)) {
      EXPECT_TRUE(BitwiseEqual(sum[0], Tensor::Full(Shape{count}, 3.0f)));
    }
  }
}

TEST(CrossDeviceOpsTest, ResultsLieOnTheirReplicasDevice) {
  SetLogicalCpuDevices(2);
  Device& one = FindDevice("CPU:1");
  const Lists lists = {{Row({1})}, {Row({2}).Clone(one)}};
  const Lists sums = SharedMemoryAllReduce().AllReduce(ReduceOp::kSum, lists);
  EXPECT_EQ(&sums[0][0].device(), &FindDevice("CPU:0"));
  EXPECT_EQ(&sums[1][0].device(), &one);
  EXPECT_EQ(lists[0][0].at<float>(0), 1);  // inputs are left alone
}

TEST(CrossDeviceOpsTest, ReduceToAddsInOrder) {
  const Tensor sum =
      ReduceTo(Device::Current(), ReduceOp::kSum, {Row({1, 2}), Row({3, 4})});
  EXPECT_EQ(sum.ToVector<float>(), (std::vector<float>{4, 6}));
  const Tensor mean =
      ReduceTo(Device::Current(), ReduceOp::kMean, {Row({1, 2}), Row({3, 4})});
  EXPECT_EQ(mean.ToVector<float>(), (std::vector<float>{2, 3}));
}

TEST(CrossDeviceOpsTest, BroadcastToSharesWhereItLiesAlready) {
  SetLogicalCpuDevices(2);
  Device& one = FindDevice("CPU:1");
  const Tensor value = Row({1, 2});
  const auto copies = BroadcastTo({&value.device(), &one}, value);
  EXPECT_TRUE(copies[0].SharesMemoryWith(value));
  EXPECT_FALSE(copies[1].SharesMemoryWith(value));
  EXPECT_TRUE(BitwiseEqual(copies[1], value));
  EXPECT_EQ(&copies[1].device(), &one);
}

TEST(CrossDeviceOpsTest, RefusesWhatCannotBeReduced) {
  const std::vector<Lists> bad = {
      {{Row({1, 2})}, {Row({1})}},
      {{Row({1})}, {Row({1}), Row({2})}},
      {{Row({1})}, {Tensor::FromVector<int32_t>({1})}},
      {{Tensor::Scalar(true)}, {Tensor::Scalar(true)}},
      {{Tensor::Scalar<std::string>("a")}, {Tensor::Scalar<std::string>("a")}},
      {{Tensor()}, {Tensor()}},
  };
  for (size_t i = 0; i < bad.size(); ++i) {
    try {
      SharedMemoryAllReduce().AllReduce(ReduceOp::kSum, bad[i]);
      FAIL() << "no error in " << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument) << i;
    }
  }
  EXPECT_THROW(ReduceTo(Device::Current(), ReduceOp::kSum, {}), Error);
}

}  // namespace
}  // namespace lockstep
