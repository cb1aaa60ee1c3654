#include "reference/distribute/gradient_buckets.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/device/fake_gpu.h"
#include "reference/distribute/distribute_testing.h"

namespace lockstep {
namespace {

int Id() { return GetReplicaContext().replica_id_in_sync_group().value(); }

// The bytes of each list that is reduced, one line per list.
class NotesLists final : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "NotesLists"; }
  int rounds(int ranks) const override { return ops_.rounds(ranks); }
  void RunRound(int round, int rank,
                const Reduction& reduction) const override {
    if (rank == 0) {
      std::string line;
      for (const Tensor& tensor : reduction.inputs(0)) {
        line += std::to_string(tensor.bytes()) + " ";
      }
      lists_.push_back(line);
    }
    ops_.RunRound(round, rank, reduction);
  }
  const std::vector<std::string>& lists() const { return lists_; }

 private:
  const SharedMemoryAllReduce ops_;
  mutable std::vector<std::string> lists_;  // written by rank 0 alone
};

// The lists that two replicas reduce for gradients of these numbers of floats;
// -1 means no gradient.
std::vector<std::string> ListsFor(const std::vector<int64_t>& counts,
                                  const BucketSizes& sizes) {
  const auto ops = std::make_shared<NotesLists>();
  const auto strategy = MakeStrategy(2, {.cross_device_ops = ops});
  strategy->Run([&] {
    GradientBuckets buckets(GetReplicaContext(), counts.size(), sizes);
    for (size_t i = counts.size(); i-- > 0;) {
      if (counts[i] < 0) {
        buckets.Add(i, std::nullopt);
      } else {
        buckets.Add(i, Tensor::Full(Shape{counts[i]}, Id() + 1.0f * i));
      }
    }
    const Gradients sums = buckets.Finish();
    ASSERT_EQ(sums.size(), counts.size());
    for (size_t i = 0; i < counts.size(); ++i) {
      ASSERT_EQ(sums[i].has_value(), counts[i] >= 0) << i;
      if (counts[i] <= 0) continue;
      EXPECT_EQ(sums[i]->ToVector<float>(),
                std::vector<float>(counts[i], 1 + 2.0f * i));
    }
  });
  return ops->lists();
}

using Lines = std::vector<std::string>;

TEST(GradientBucketsTest, FirstBucketIsSmaller) {
  EXPECT_EQ(ListsFor({1, 1, 1, 1, 1, 1}, {.first = 4, .others = 8}),
            (Lines{"4 ", "4 4 ", "4 4 ", "4 "}));
}

TEST(GradientBucketsTest, BucketIsFullAtItsSize) {
  EXPECT_EQ(ListsFor({1, 2, 2, 3, 1}, {.first = 8, .others = 12}),
            (Lines{"4 12 ", "8 8 ", "4 "}));
}

TEST(GradientBucketsTest, HugeGradientJoinsThoseBeforeIt) {
  EXPECT_EQ(ListsFor({1, 100'000, 1}, {.first = 8, .others = 8}),
            (Lines{"4 400000 ", "4 "}));
  EXPECT_EQ(ListsFor({100'000}, {.first = 8, .others = 8}), Lines{"400000 "});
}

TEST(GradientBucketsTest, SkipsSourcesWithoutGradient) {
  EXPECT_EQ(ListsFor({-1, 1, -1, 1, -1}, {.first = 8, .others = 8}),
            Lines{"4 4 "});
  EXPECT_EQ(ListsFor({-1, -1}, {.first = 8, .others = 8}), Lines{});
}

TEST(GradientBucketsTest, NothingAndEmptyTensorsWork) {
  EXPECT_EQ(ListsFor({}, {.first = 8, .others = 8}), Lines{});
  EXPECT_EQ(ListsFor({0, 0}, {.first = 8, .others = 8}), Lines{"0 0 "});
}

TEST(GradientBucketsTest, OneBucketHoldsEverything) {
  EXPECT_EQ(ListsFor({100'000, 1, 100'000}, kOneBucket),
            Lines{"400000 4 400000 "});
}

TEST(GradientBucketsTest, CpusReduceOnceAtTheEnd) {
  FakeGpu gpu;
  EXPECT_EQ(BucketSizesFor(gpu.device()).first, 1 << 20);
  EXPECT_EQ(BucketSizesFor(gpu.device()).others, 25 << 20);
  EXPECT_EQ(BucketSizesFor(Device::Host()).first, INT64_MAX);
  EXPECT_EQ(BucketSizesFor(Device::Host()).others, INT64_MAX);
}

TEST(GradientBucketsTest, RefusesEmptyBuckets) {
  const auto strategy = MakeStrategy(1);
  for (const BucketSizes& sizes :
       {BucketSizes{.first = 0}, BucketSizes{.others = -1}}) {
    EXPECT_EQ(CodeOf([&] {
                strategy->Run(
                    [&] { GradientBuckets(GetReplicaContext(), 1, sizes); });
              }),
              Code::kInvalidArgument);
  }
}

TEST(GradientBucketsTest, WorksWithoutAStrategy) {
  GradientBuckets buckets(GetReplicaContext(), 2);
  buckets.Add(1, Row({3}));
  const Gradients sums = buckets.Finish();
  EXPECT_FALSE(sums[0]);
  EXPECT_EQ(sums[1]->item<float>(), 3);
}

TEST(GradientBucketsTest, RefusesDifferentGradients) {
  const auto strategy = MakeStrategy(2);
  const auto run = [&](const BucketSizes& sizes, int more) {
    return CodeOf([&] {
      strategy->Run([&] {
        GradientBuckets buckets(GetReplicaContext(), 3, sizes);
        for (int i = 0; i < 1 + Id() * more; ++i) buckets.Add(i, Row({1}));
        buckets.Finish();
      });
    });
  };
  EXPECT_EQ(run({.first = 4, .others = 4}, 1), Code::kFailedPrecondition);
  EXPECT_EQ(run(kOneBucket, 1), Code::kInvalidArgument);
  EXPECT_EQ(run({.first = 4, .others = 4}, 0), std::nullopt);
}

// Fractions, so that another order of additions gives other bits.
std::vector<Tensor> MixedGradients(int replica) {
  std::vector<Tensor> gradients;
  for (const DType dtype :
       {DType::kFloat32, DType::kBFloat16, DType::kFloat64, DType::kFloat16}) {
    for (const int64_t count : {33, 0, 1, 5000}) {
      Tensor x = Tensor::Empty(Shape{count}, DType::kFloat64);
      for (int64_t i = 0; i < count; ++i) {
        x.mutable_data<double>()[i] = (i * 37 % 1001 + replica * 59) / 7.0 - 60;
      }
      gradients.push_back(x.Cast(dtype));
    }
  }
  return gradients;
}

class GradientBucketsBitsTest : public testing::TestWithParam<int> {};

TEST_P(GradientBucketsBitsTest, EqualOneAllReduce) {
  for (auto& algorithm : AllAlgorithms()) {
    const auto strategy =
        MakeStrategy(GetParam(), {.cross_device_ops = std::move(algorithm)});
    for (const BucketSizes& sizes :
         {BucketSizes{1, 1}, BucketSizes{200, 30'000}, kOneBucket}) {
      strategy->Run([&] {
        const std::vector<Tensor> gradients = MixedGradients(Id());
        GradientBuckets buckets(GetReplicaContext(), gradients.size(), sizes);
        for (size_t i = gradients.size(); i-- > 0;) {
          buckets.Add(i, gradients[i]);
        }
        const Gradients sums = buckets.Finish();
        const std::vector<Tensor> wanted =
            GetReplicaContext().AllReduce(ReduceOp::kSum, gradients);
        for (size_t i = 0; i < wanted.size(); ++i) {
          EXPECT_TRUE(BitwiseEqual(*sums[i], wanted[i])) << i;
        }
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Replicas, GradientBucketsBitsTest,
                         testing::Values(1, 2, 3, 5));

class GradientBucketsOnGpusTest : public testing::Test {
 protected:
  // Passes the gradient on, in the GPU's compute stream.
  Tensor Operation(const std::string& name, const std::vector<Tensor>& inputs) {
    const Tensor output = Tensor::Full(Shape{100}, 1.0f);
    RecordOperation(inputs, output,
                    [this, name, count = inputs.size()](const Tensor& g,
                                                        std::span<const bool>) {
                      fake_.streams(Id()).Submit(DeviceStream::kCompute,
                                                 name + ", backwards", [] {});
                      return Gradients(count, g);
                    });
    return output;
  }
  std::unique_ptr<MirroredStrategy> TwoGpus() {
    LogCapture quiet;
    return std::make_unique<MirroredStrategy>(
        std::vector<std::string>{"GPU:0", "GPU:1"});
  }

  FakeGpuCollectives fake_{2};
  FakeGpuBackend backend_{{&fake_.gpu(0), &fake_.gpu(1)}};
};

TEST_F(GradientBucketsOnGpusTest, SumsDuringTheBackwardPass) {
  fake_.physical = {0, 0, 0};
  TwoGpus()->Run([&] {
    const Tensor a = Tensor::Full(Shape{100}, 1.0f);
    const Tensor b = Tensor::Full(Shape{100}, 1.0f);
    GradientTape tape;
    tape.Watch(a);
    tape.Watch(b);
    const Tensor x = Operation("first", {a});
    const Tensor y = Operation("second", {x, b});
    GradientBuckets buckets(GetReplicaContext(), 2,
                            {.first = 400, .others = 400});
    tape.Gradient(y, std::vector<Tensor>{a, b}, buckets.on_ready());
    const Gradients sums = buckets.Finish();
    fake_.streams(Id()).Submit(DeviceStream::kCompute, "update", [] {});
    for (const auto& sum : sums) {
      EXPECT_EQ(sum->ToVector<float>(), std::vector<float>(100, 2));
    }
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(
        fake_.streams(r).log(),
        (Lines{"compute: second, backwards", "communication waits for compute",
               "communication: sum", "compute: first, backwards",
               "communication waits for compute", "communication: sum",
               "compute waits for communication", "compute: update"}));
  }
}

// The backward pass fails during a reduction: the memory of the bucket is not
// freed before the compute stream has waited for it.
TEST_F(GradientBucketsOnGpusTest, FailingPassWaitsForItsReductions) {
  fake_.physical = {0, 0, 0};
  const auto strategy = TwoGpus();
  EXPECT_EQ(CodeOf([&] {
              strategy->Run([&] {
                GradientBuckets buckets(GetReplicaContext(), 2,
                                        {.first = 1, .others = 1});
                buckets.Add(1, Tensor::Full(Shape{100}, 1.0f));
                throw Unavailable("[Test] {}", "no more");
              });
            }),
            Code::kUnavailable);
  for (int r : {0, 1}) {
    EXPECT_EQ(fake_.streams(r).log().back(), "compute waits for communication");
  }
}

}  // namespace
}  // namespace lockstep
