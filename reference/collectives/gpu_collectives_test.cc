// Reductions of tensors whose memory the host cannot touch.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/base/trace.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/communicator.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/overlapped_all_reduce.h"
#include "reference/collectives/reduction.h"
#include "reference/device/capture_session.h"

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

using Lines = std::vector<std::string>;

constexpr DeviceQueue kCompute = DeviceQueue::kCompute;
constexpr DeviceQueue kCommunication = DeviceQueue::kCommunication;

class OverlappedAllReduceTest : public testing::TestWithParam<int> {
 protected:
  // body(rank) on every rank's thread and fake GPU.
  void RunOnGpus(const std::function<void(int)>& body) {
    const auto errors = RunRanks(communicator_, [&](int r) {
      DeviceScope scope(fake_.gpu(r));
      body(r);
    });
    for (const auto& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }
  Tensor Mine(int rank, float value) {
    return Tensor::Full(Shape{100}, rank + value, fake_.gpu(rank));
  }
  // Of Mine on all ranks.
  std::vector<float> SumOf(float value) const {
    return std::vector<float>(100, ranks_ * (ranks_ - 1) / 2 + ranks_ * value);
  }

  const int ranks_ = GetParam();
  Communicator communicator_{ranks_};
  FakeGpuCollectives fake_{ranks_};
};

TEST_P(OverlappedAllReduceTest, SumsComeInTheOrderOfTheirStart) {
  for (const auto& ops : AllAlgorithms()) {
    RunOnGpus([&](int r) {
      OverlappedAllReduce sums(&communicator_, r, ops.get());
      sums.Start(ReduceOp::kSum, {Mine(r, 1)});
      sums.Start(ReduceOp::kSum, {Mine(r, 2), Mine(r, 3)});
      sums.Start(ReduceOp::kSum, {});
      const Lists results = sums.Finish();
      ASSERT_EQ(results.size(), 3u);
      EXPECT_EQ(&results[0][0].device(), &fake_.gpu(r));
      EXPECT_EQ(results[0][0].ToVector<float>(), SumOf(1));
      EXPECT_EQ(results[1][0].ToVector<float>(), SumOf(2));
      EXPECT_EQ(results[1][1].ToVector<float>(), SumOf(3));
      EXPECT_TRUE(results[2].empty());
    });
  }
}

TEST_P(OverlappedAllReduceTest, MeansAndCpusWorkToo) {
  const SharedMemoryAllReduce ops;
  const auto errors = RunRanks(communicator_, [&](int r) {
    OverlappedAllReduce sums(&communicator_, r, &ops);
    sums.Start(ReduceOp::kMean, {Tensor::Full<int32_t>(Shape{1}, 2 * r)});
    EXPECT_EQ(sums.Finish()[0][0].item<double>(), ranks_ - 1);
  });
  for (const auto& error : errors) EXPECT_FALSE(error);
}

INSTANTIATE_TEST_SUITE_P(Ranks, OverlappedAllReduceTest,
                         testing::Values(1, 2, 3, 5));

class TwoGpusTest : public OverlappedAllReduceTest {
 protected:
  const SharedMemoryAllReduce ops_;
};

// Each GPU's part of the sum stands in its communication queue, behind what was
// computed before and beside what comes after.
TEST_P(TwoGpusTest, TheSumIsInAQueueOfItsOwn) {
  RunOnGpus([&](int r) {
    SimulatedQueues& queues = fake_.queues(r);
    OverlappedAllReduce sums(&communicator_, r, &ops_);
    queues.Submit(kCompute, "before", [] {});
    sums.Start(ReduceOp::kSum, {Mine(r, 1)});
    queues.Submit(kCompute, "beside", [] {});
    sums.Finish();
    queues.Submit(kCompute, "behind", [] {});
    EXPECT_EQ(queues.log(),
              (Lines{"compute: before", "communication waits for compute",
                     "communication: sum", "compute: beside",
                     "compute waits for communication", "compute: behind"}));
  });
}

TEST_P(TwoGpusTest, NothingStartedIsNotWaitedFor) {
  RunOnGpus([&](int r) {
    OverlappedAllReduce sums(&communicator_, r, &ops_);
    EXPECT_TRUE(sums.Finish().empty());
    EXPECT_EQ(fake_.queues(r).log(), Lines{});
  });
}

TEST_P(TwoGpusTest, ATraceShowsEachBucketsBytes) {
  RunOnGpus([&](int r) {
    TraceTrack track;
    const TraceScope scope(&track);
    OverlappedAllReduce sums(&communicator_, r, &ops_);
    sums.Start(ReduceOp::kSum, {Mine(r, 1)});
    sums.Start(ReduceOp::kSum, {Mine(r, 1), Mine(r, 2)});
    sums.Finish();
    ASSERT_EQ(track.spans().size(), 2u);
    EXPECT_EQ(track.spans()[0].name, "AllReduce");
    EXPECT_EQ(track.spans()[0].bytes, 400);
    EXPECT_EQ(track.spans()[1].bytes, 800);
  });
}

// Freed memory belongs to the compute queue: nothing that the other queue uses
// is freed before that waits for it, whatever happens.
TEST_P(TwoGpusTest, MemoryIsHeldUntilTheComputeQueueWaits) {
  RunOnGpus([&](int r) {
    const auto in_use = [&] {
      return fake_.gpu(r).pool().statistics().bytes_in_use;
    };
    const int64_t before = in_use();
    {
      OverlappedAllReduce sums(&communicator_, r, &ops_);
      sums.Start(ReduceOp::kSum, {Mine(r, 1)});
      EXPECT_EQ(in_use(), before + 2 * 448);  // the classes of 400 bytes
      EXPECT_EQ(fake_.queues(r).log().size(), 2u);
    }
    EXPECT_EQ(in_use(), before);
    EXPECT_EQ(fake_.queues(r).log().back(), "compute waits for communication");
  });
}

// A replayed graph sums what the addresses hold then.
TEST_P(TwoGpusTest, IsCapturedWithAStep) {
  Tensor values[] = {Mine(0, 1), Mine(1, 1)};
  Tensor results[2];
  CaptureSession session({&fake_.gpu(0), &fake_.gpu(1)});
  RunOnGpus([&](int r) {
    PrivateMemory::Scope scope(*session.memory());
    OverlappedAllReduce sums(&communicator_, r, &ops_);
    sums.Start(ReduceOp::kSum, {values[r]});
    results[r] = sums.Finish()[0][0];
  });
  const CapturedWork step = session.Finish();
  for (const float value : {3.0f, 5.0f}) {
    const std::vector<float> all(100, value);
    fake_.gpu(1).memory()->CopyFromHost(values[1].mutable_raw_data(),
                                        all.data(), values[1].bytes());
    step.graph->Launch();
    for (int r : {0, 1}) {
      EXPECT_EQ(results[r].ToVector<float>(),
                std::vector<float>(100, 1 + value));
    }
  }
}

TEST_P(TwoGpusTest, ListsThatDifferAreEverybodysError) {
  const auto errors = RunRanks(communicator_, [&](int r) {
    DeviceScope scope(fake_.gpu(r));
    OverlappedAllReduce sums(&communicator_, r, &ops_);
    sums.Start(ReduceOp::kSum, std::vector<Tensor>(r + 1, Mine(r, 1)));
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(CodeOf(errors[r]), Code::kInvalidArgument);
    EXPECT_EQ(fake_.queues(r).log().back(), "compute waits for communication");
  }
}

INSTANTIATE_TEST_SUITE_P(Two, TwoGpusTest, testing::Values(2));

}  // namespace
}  // namespace lockstep
