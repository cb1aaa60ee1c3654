#include "reference/collectives/nccl/nccl_group.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/nccl/fake_nccl.h"
#include "reference/collectives/nccl/nccl_communicator.h"

namespace lockstep {
namespace {

class NcclGroupTest : public testing::Test {
 protected:
  Ranks Make(int size = 2) {
    InProcessNcclIdExchange exchange;
    const auto communicator = std::make_shared<NcclCommunicator>(
        nccl_, 2, std::vector<NcclMember>{{0, 0}, {1, 1}}, exchange,
        NcclOptions{.poll_interval = std::chrono::milliseconds(600'000)});
    const auto rendezvous = std::make_shared<Rendezvous>(size);
    std::vector<std::unique_ptr<Group>> groups;
    for (int r = 0; r < size; ++r) {
      groups.push_back(std::make_unique<NcclGroup>(
          rendezvous, r, communicator, fake_.gpu(r),
          [this](const Device& device, DeviceStream stream) {
            std::lock_guard lock(mutex_);
            streams_[device.index()].push_back(stream);
            return nullptr;
          }));
    }
    return Ranks(rendezvous, std::move(groups));
  }
  // 4 floats, nothing, and 2 int32.
  TensorList ListOn(int r) {
    Device& gpu = fake_.gpu(r);
    return {Tensor::Full(Shape{4}, 1.0f, gpu),
            Tensor::Zeros(Shape{0}, DType::kFloat32, gpu),
            Tensor::Full<int32_t>(Shape{2}, 3, gpu)};
  }
  // Every rank's sum of its ListOn.
  std::vector<TensorList> Sum(Ranks ranks) {
    return AllReduceTogether(std::move(ranks), ReduceOp::kSum,
                             {ListOn(0), ListOn(1)});
  }
  // The NCCL calls for a rank.
  std::vector<std::string> CallsOf(int rank) {
    std::vector<std::string> calls;
    for (const std::string& call : nccl_.Calls()) {
      if (call.ends_with("rank " + std::to_string(rank))) calls.push_back(call);
    }
    return calls;
  }

  std::mutex mutex_;
  std::vector<DeviceStream> streams_[3];  // requested streams, by GPU
  FakeNccl nccl_;
  FakeGpuCollectives fake_{3};
};

TEST_F(NcclGroupTest, ARankQueuesItsOwnList) {
  const auto sums = Sum(Make());
  for (int r : {0, 1}) {
    const std::string rank = std::to_string(r);
    EXPECT_EQ(CallsOf(r),
              (std::vector<std::string>{"sum 4 float32 rank " + rank,
                                        "sum 2 int32 rank " + rank}));
    EXPECT_EQ(&sums[r][2].device(), &fake_.gpu(r));
  }
  EXPECT_TRUE(fake_.sums().empty());
}

TEST_F(NcclGroupTest, CallsNcclAsDocumented) {
  EXPECT_EQ(Make()[0].algorithm(), "NcclAllReduce");
}

TEST_F(NcclGroupTest, OverlappedWorkIsInTheCommunicationStream) {
  Make().Run([&](Group& group) {
    DeviceScope scope(fake_.gpu(group.rank()));
    const TensorList mine = {ListOn(group.rank())[0]};
    group.AllReduce(ReduceOp::kSum, mine, {}).Wait();
    // The division too, in the stream after it.
    group.AllReduce(ReduceOp::kMean, mine, {.overlapped = true}).Wait();
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(streams_[r],
              (std::vector<DeviceStream>{DeviceStream::kCompute,
                                         DeviceStream::kCommunication}));
  }
  ASSERT_EQ(fake_.sums().size(), 2u);
  for (const auto& sum : fake_.sums()) {
    EXPECT_EQ(sum.stream, DeviceStream::kCommunication);
  }
}

// The fake does not sum, so the division shows as work of each rank's GPU.
TEST_F(NcclGroupTest, TheMeanIsDividedOnItsGpu) {
  Make().Run([&](Group& group) {
    DeviceScope scope(fake_.gpu(group.rank()));
    group.AllReduce(ReduceOp::kMean, {ListOn(group.rank())[0]}, {}).Wait();
  });
  const auto sums = fake_.sums();
  ASSERT_EQ(sums.size(), 2u);
  for (const auto& sum : sums) {
    EXPECT_EQ(sum.from, std::vector<Device*>{sum.on});
    EXPECT_EQ(sum.to, std::vector<Device*>{sum.on});
    ASSERT_EQ(sum.pieces.size(), 1u);
    EXPECT_EQ(sum.pieces[0].divisor, 2);
    EXPECT_EQ(sum.pieces[0].count, 4);
    EXPECT_EQ(sum.pieces[0].inputs[0], sum.pieces[0].outputs[0]);
  }
  EXPECT_NE(sums[0].on, sums[1].on);
}

TEST_F(NcclGroupTest, RefusesOtherDevicesAndNumbersOfRanks) {
  const auto errors = Make().Errors([&](Group& group) {
    const int other = 1 - group.rank();
    DeviceScope scope(fake_.gpu(other));
    group.AllReduce(ReduceOp::kSum, ListOn(other), {}).Wait();
  });
  for (int r : {0, 1}) {
    try {
      std::rethrow_exception(errors[r]);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      const std::string mine = "GPU:" + std::to_string(r);
      const std::string other = "GPU:" + std::to_string(1 - r);
      EXPECT_EQ(error.what(), "[AllReduce] rank " + std::to_string(r) +
                                  " is on " + mine + ", got a tensor on " +
                                  other);
    }
  }
  try {
    Make(3);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_STREQ(error.what(),
                 "[NcclGroup] wanted 2 ranks, as NCCL connects, got 3");
  }
}

// NCCL is called only once all ranks have come with the same specs.
TEST_F(NcclGroupTest, RanksThatDisagreeDoNotCallNccl) {
  const auto errors = Make().Errors([&](Group& group) {
    DeviceScope scope(fake_.gpu(group.rank()));
    TensorList mine = ListOn(group.rank());
    mine.resize(1 + group.rank());
    group.AllReduce(ReduceOp::kSum, mine, {}).Wait();
  });
  for (const auto& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kInvalidArgument);
  }
  EXPECT_EQ(nccl_.aborted, 0);
}

TEST_F(NcclGroupTest, CheckThrowsTheCommunicatorsError) {
  Ranks ranks = Make();
  EXPECT_NO_THROW(ranks[0].Check());
  nccl_.call_status = NcclStatus::kSystemError;
  const auto errors = ranks.Errors([&](Group& group) {
    DeviceScope scope(fake_.gpu(group.rank()));
    group.AllReduce(ReduceOp::kSum, ListOn(group.rank()), {}).Wait();
  });
  for (const auto& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kUnavailable);
  }
  EXPECT_THROW(ranks[1].Check(), Error);
}

TEST_F(NcclGroupTest, EachRankWatchesAGraphOnItsGpu) {
  Ranks ranks = Make();
  ranks[1].Watch();
  EXPECT_TRUE(streams_[0].empty());
  EXPECT_EQ(streams_[1], std::vector<DeviceStream>{DeviceStream::kCompute});
}

}  // namespace
}  // namespace lockstep
