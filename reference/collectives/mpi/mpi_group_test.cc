// What differs from Gloo: large messages, long lists, and groups one after
// another. mpirun starts three processes.
#include "reference/collectives/mpi/mpi_group.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/collectives/mpi/mpi_testing.h"

namespace lockstep {
namespace {

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

// Thirds are rounded, so the bits show the order of additions. Those of float32
// make each rank's part longer than a step.
TensorList Thirds(int rank, DType dtype) {
  TensorList list;
  const int64_t many = dtype == DType::kFloat32 ? 1'000'001 : 5'000;
  for (const int64_t count : {int64_t{0}, int64_t{1}, many, int64_t{17}}) {
    std::vector<double> values(count);
    for (int64_t i = 0; i < count; ++i) values[i] = (i % 1000 + rank) / 3.0;
    list.push_back(Tensor::FromVector(values).Cast(dtype));
  }
  return list;
}

TEST(MpiGroupTest, GivesTheBitsOfRanksOfOneProcess) {
  const auto ranks = MpiRanks::Make();
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    std::vector<TensorList> lists;
    for (int r = 0; r < ranks->size(); ++r) lists.push_back(Thirds(r, dtype));
    const auto wanted = AllReduceTogether(
        std::make_shared<SharedMemoryAllReduce>(), ReduceOp::kMean, lists);
    ranks->Run([&](Group& group) {
      const TensorList& mine = lists[group.rank()];
      for (const bool overlapped : {false, true}) {
        const TensorList got =
            group.AllReduce(ReduceOp::kMean, mine, {.overlapped = overlapped})
                .Wait();
        for (size_t i = 0; i < mine.size(); ++i) {
          EXPECT_TRUE(BitwiseEqual(got[i], wanted[0][i])) << i;
        }
      }
    });
  }
}

TEST(MpiGroupTest, GathersAndBroadcastsLargeTensors) {
  MpiRanks::Make()->Run([](Group& group) {
    const int r = group.rank();
    const TensorList mine = {
        Tensor::Full<float>(Shape{1'000'000 * (r + 1)}, 1.0f * r),
        Tensor::FromVector(std::vector<std::string>{
            std::string(100'000 * r, static_cast<char>('a' + r))})};
    const auto all = group.AllGather(mine, {}).Wait();
    for (int other = 0; other < group.size(); ++other) {
      ASSERT_EQ(all[other][0].num_elements(), 1'000'000 * (other + 1));
      EXPECT_EQ(all[other][0].at<float>(999'999), other);
      EXPECT_EQ(all[other][1].at<std::string>(0).size(), 100'000u * other);
    }
    const TensorList got = group.Broadcast(mine, 1, {}).Wait();
    EXPECT_EQ(got[0].at<float>(1'999'999), 1);
    EXPECT_EQ(got[1].at<std::string>(0), std::string(100'000, 'b'));
  });
}

// The description of 2,000 tensors does not fit into a message.
TEST(MpiGroupTest, ListsMayBeLong) {
  MpiRanks::Make()->Run([](Group& group) {
    const TensorList mine(2000, Row({1.0f * group.rank()}));
    const TensorList sums = group.AllReduce(ReduceOp::kSum, mine, {}).Wait();
    EXPECT_EQ(sums.back().at<float>(0), 3);
    const bool odd = group.rank() == 2;
    ExpectError(
        [&] {
          group.AllReduce(ReduceOp::kSum, TensorList(2000 + odd, Row({1})), {})
              .Wait();
        },
        Code::kInvalidArgument, "worker");
    group.Barrier({});
  });
}

// Rank 0 gives up while the others exchange megabytes with it. Their leftover
// messages do not disturb the next group.
TEST(MpiGroupTest, AnotherGroupCanBeMadeAfterAnAbort) {
  const auto ranks = MpiRanks::Make();
  const Tensor ones = Tensor::Full<float>(Shape{5 << 20}, 1.0f);
  for (int round = 0; round < 3; ++round) {
    const auto errors = ranks->Errors([&](Group& group) {
      std::thread aborting([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (group.rank() == 0) group.Abort();
      });
      const Code code = CodeOf([&] {
        while (true) group.AllReduce(ReduceOp::kSum, {ones}, {}).Wait();
      });
      aborting.join();
      throw Error(code, "the end");
    });
    for (const auto& error : errors) EXPECT_EQ(CodeOf(error), Code::kCancelled);
    ranks->Run([&](Group& group) {
      const TensorList sums =
          group.AllReduce(ReduceOp::kSum, {ones}, {}).Wait();
      EXPECT_EQ(sums[0].at<float>(0), 3);
      EXPECT_EQ(sums[0].at<float>((5 << 20) - 1), 3);
    });
  }
}

TEST(MpiGroupTest, TwoGroupsOfAJobDoNotInterfere) {
  const auto first = MpiRanks::Make();
  const auto second = MpiRanks::Make();
  const int here = first->here()[0];
  Group& a = (*first)[here];
  Group& b = (*second)[here];
  for (int i = 0; i < 20; ++i) {
    auto sums = a.AllReduce(ReduceOp::kSum, {Row({1})}, {.overlapped = true});
    EXPECT_EQ(
        b.AllReduce(ReduceOp::kSum, {Row({2})}, {}).Wait()[0].at<float>(0), 6);
    EXPECT_EQ(sums.Wait()[0].at<float>(0), 3);
  }
}

}  // namespace
}  // namespace lockstep
