// Reductions of tensors whose memory the host cannot access.

#include "reference/collectives/gpu_collectives.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reference/base/trace.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/device/capture_session.h"

namespace lockstep {
namespace {

using collectives_internal::GpuSum;
using Lists = std::vector<std::vector<Tensor>>;

const CrossDeviceOpsPtr kSharedMemory =
    std::make_shared<SharedMemoryAllReduce>();

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
    const Lists sums = AllReduceTogether(ops, ReduceOp::kSum, MakeLists());
    const Lists means = AllReduceTogether(ops, ReduceOp::kMean, MakeLists());
    for (int r = 0; r < ranks_; ++r) {
      ExpectSums(sums[r], r, 1);
      ExpectSums(means[r], r, ranks_);
    }
  }
  EXPECT_EQ(fake_.sums().empty(), ranks_ == 1);
}

TEST_P(GpuCollectivesTest, HostValuesAreCopiedToTheRanksGpu) {
  Ranks(ranks_).Run([&](Group& group) {
    const int r = group.rank();
    DeviceScope scope(fake_.gpu(r));
    const TensorList sums =
        group.AllReduce(ReduceOp::kSum, ListOf(r, Device::Host()), {}).Wait();
    if (ranks_ > 1) ExpectSums(sums, r, 1);
  });
}

TEST_P(GpuCollectivesTest, EachGpuComputesItsPartOfTheSum) {
  AllReduceTogether(kSharedMemory, ReduceOp::kSum, MakeLists());
  const std::vector<GpuSum> sums = fake_.sums();
  for (size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(static_cast<int>(sums[i].from.size()), ranks_);
    EXPECT_EQ(static_cast<int>(sums[i].to.size()), ranks_);
  }
  // 4 units of 16 floats: some of more ranks have nothing to do, nor has a
  // single rank.
  EXPECT_EQ(sums.size(),
            static_cast<size_t>(ranks_ == 1 ? 0 : std::min(ranks_, 4)));
  std::set<Device*> on;
  for (const GpuSum& sum : sums) on.insert(sum.on);
  EXPECT_EQ(on.size(), sums.size());
}

TEST_P(GpuCollectivesTest, ReduceToSumsOnItsDestination) {
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
    AllReduceTogether(kSharedMemory, ReduceOp::kSum,
                      {ListOf(0, Device::Host()), ListOf(1, fake.gpu(0))});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_STREQ(
        error.what(),
        "[Reduce] replicas must be all CPUs or all GPUs, got values on "
        "CPU:0 and on GPU:0");
  }
}

TEST(GpuCollectivesErrorTest, AProgramWithoutABackendIsUnimplemented) {
  FakeGpu gpu;
  const Tensor x = Tensor::Full(Shape{2}, 1.0f, gpu.device());
  try {
    AllReduceTogether(kSharedMemory, ReduceOp::kSum, {{x}, {x}});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
    EXPECT_STREQ(error.what(),
                 "[AllReduce] has no kernel for GPUs in this program");
  }
}

using Lines = std::vector<std::string>;

constexpr DeviceStream kCompute = DeviceStream::kCompute;

class OverlappedAllReduceTest : public testing::TestWithParam<int> {
 protected:
  // Runs `body` on every rank's thread and fake GPU.
  void RunOnGpus(Ranks& ranks, const std::function<void(Group&)>& body) {
    ranks.Run([&](Group& group) {
      DeviceScope scope(fake_.gpu(group.rank()));
      body(group);
    });
  }
  static Pending<TensorList> Start(Group& group, const TensorList& values) {
    return group.AllReduce(ReduceOp::kSum, values, {.overlapped = true});
  }
  Tensor Mine(int rank, float value) {
    return Tensor::Full(Shape{100}, rank + value, fake_.gpu(rank));
  }
  // The sum of Mine over all ranks.
  std::vector<float> SumOf(float value) const {
    return std::vector<float>(100, ranks_ * (ranks_ - 1) / 2 + ranks_ * value);
  }

  const int ranks_ = GetParam();
  Ranks all_{ranks_};
  FakeGpuCollectives fake_{ranks_};
};

TEST_P(OverlappedAllReduceTest, EveryAlgorithmOverlaps) {
  for (const auto& ops : AllAlgorithms()) {
    Ranks ranks(ranks_, ops);
    RunOnGpus(ranks, [&](Group& group) {
      const int r = group.rank();
      auto one = Start(group, {Mine(r, 1)});
      auto two = Start(group, {Mine(r, 2), Mine(r, 3)});
      auto none = Start(group, {});
      EXPECT_TRUE(none.Wait().empty());
      const TensorList first = one.Wait(), second = two.Wait();
      EXPECT_EQ(&first[0].device(), &fake_.gpu(r));
      EXPECT_EQ(first[0].ToVector<float>(), SumOf(1));
      EXPECT_EQ(second[0].ToVector<float>(), SumOf(2));
      EXPECT_EQ(second[1].ToVector<float>(), SumOf(3));
    });
  }
}

TEST_P(OverlappedAllReduceTest, MeansAndCpusWorkToo) {
  all_.Run([&](Group& group) {
    const Tensor mine = Tensor::Full<int32_t>(Shape{1}, 2 * group.rank());
    auto mean = group.AllReduce(ReduceOp::kMean, {mine}, {.overlapped = true});
    EXPECT_EQ(mean.Wait()[0].item<double>(), ranks_ - 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, OverlappedAllReduceTest,
                         testing::Values(1, 2, 3, 5));

class TwoGpusTest : public OverlappedAllReduceTest {};

// Each GPU's part of the sum is in its communication stream, after earlier
// computations and concurrent with later ones.
TEST_P(TwoGpusTest, TheSumIsInTheCommunicationStream) {
  RunOnGpus(all_, [&](Group& group) {
    const int r = group.rank();
    SimulatedStreams& streams = fake_.streams(r);
    streams.Submit(kCompute, "before", [] {});
    auto sum = Start(group, {Mine(r, 1)});
    streams.Submit(kCompute, "beside", [] {});
    sum.Wait();
    streams.Submit(kCompute, "after", [] {});
    EXPECT_EQ(streams.log(),
              (Lines{"compute: before", "communication waits for compute",
                     "communication: sum", "compute: beside",
                     "compute waits for communication", "compute: after"}));
  });
}

TEST_P(TwoGpusTest, OneWaitCoversAllOperations) {
  RunOnGpus(all_, [&](Group& group) {
    const int r = group.rank();
    auto first = Start(group, {Mine(r, 1)});
    auto second = Start(group, {Mine(r, 2)});
    EXPECT_EQ(first.Wait()[0].ToVector<float>(), SumOf(1));
    EXPECT_EQ(second.Wait()[0].ToVector<float>(), SumOf(2));
    auto third = Start(group, {Mine(r, 3)});
    EXPECT_EQ(third.Wait()[0].ToVector<float>(), SumOf(3));
    const Lines begun = {"communication waits for compute",
                         "communication: sum"};
    const Lines joined = {"compute waits for communication"};
    Lines wanted;
    for (const Lines& lines : {begun, begun, joined, begun, joined}) {
      wanted.insert(wanted.end(), lines.begin(), lines.end());
    }
    EXPECT_EQ(fake_.streams(r).log(), wanted);
  });
}

TEST_P(TwoGpusTest, WithoutOverlapTheSumIsInTheComputeStream) {
  RunOnGpus(all_, [&](Group& group) {
    const int r = group.rank();
    const TensorList sums =
        group.AllReduce(ReduceOp::kSum, {Mine(r, 1)}, {}).Wait();
    EXPECT_EQ(sums[0].ToVector<float>(), SumOf(1));
    EXPECT_EQ(fake_.streams(r).log(), Lines{});
  });
}

TEST_P(TwoGpusTest, ATraceShowsEachBucketsBytes) {
  RunOnGpus(all_, [&](Group& group) {
    const int r = group.rank();
    TraceTrack track;
    const TraceScope scope(&track);
    auto first = Start(group, {Mine(r, 1)});
    auto second = Start(group, {Mine(r, 1), Mine(r, 2)});
    ASSERT_EQ(track.spans().size(), 2u);
    EXPECT_EQ(track.spans()[0].name, "AllReduce");
    EXPECT_EQ(track.spans()[0].bytes, 400);
    EXPECT_EQ(track.spans()[1].bytes, 800);
  });
}

// Freed memory belongs to the compute stream, so memory that the other stream
// uses is not freed before the compute stream has waited for it.
TEST_P(TwoGpusTest, MemoryIsKeptUntilTheComputeStreamWaits) {
  RunOnGpus(all_, [&](Group& group) {
    const int r = group.rank();
    const auto in_use = [&] {
      return fake_.gpu(r).pool().statistics().bytes_in_use;
    };
    const int64_t before = in_use();
    {
      const auto sum = Start(group, {Mine(r, 1)});
      EXPECT_EQ(in_use(), before + 2 * 448);  // size classes of 400 bytes
      EXPECT_EQ(fake_.streams(r).log().size(), 2u);
    }
    EXPECT_EQ(in_use(), before);
    EXPECT_EQ(fake_.streams(r).log().back(), "compute waits for communication");
  });
}

// A replayed graph sums the values at its addresses at that time.
TEST_P(TwoGpusTest, IsCapturedWithAStep) {
  Tensor values[] = {Mine(0, 1), Mine(1, 1)};
  Tensor results[2];
  CaptureSession session({&fake_.gpu(0), &fake_.gpu(1)});
  RunOnGpus(all_, [&](Group& group) {
    const int r = group.rank();
    PrivateMemory::Scope scope(*session.memory());
    results[r] = Start(group, {values[r]}).Wait()[0];
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

TEST_P(TwoGpusTest, DifferentListsAreAnErrorOnAllRanks) {
  const auto errors = all_.Errors([&](Group& group) {
    const int r = group.rank();
    DeviceScope scope(fake_.gpu(r));
    Start(group, TensorList(r + 1, Mine(r, 1))).Wait();
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(CodeOf(errors[r]), Code::kInvalidArgument);
    EXPECT_EQ(fake_.streams(r).log().back(), "compute waits for communication");
  }
}

INSTANTIATE_TEST_SUITE_P(Two, TwoGpusTest, testing::Values(2));

}  // namespace
}  // namespace lockstep
