// Compares reductions on one GPU and its logical devices with the host's.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/cuda/collectives_gpu_testing.h"
#include "reference/collectives/gpu_collectives.h"
#include "reference/collectives/nccl/nccl_communicator.h"
#include "reference/collectives/nccl/nccl_library.h"
#include "reference/device/capture_session.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/stream_gate.h"
#include "reference/device/gpu_testing.h"

namespace lockstep {
namespace {

using collectives_internal::CurrentGpuCollectives;
using Lists = std::vector<std::vector<Tensor>>;

constexpr DType kTypes[] = {DType::kFloat32,  DType::kFloat64, DType::kFloat16,
                            DType::kBFloat16, DType::kInt32,   DType::kInt64};

// Odd sizes, empty tensors and unaligned views, in every type. The values are
// fractions, so another order of additions gives other bits.
std::vector<Tensor> ListOf(int rank, DType dtype, Device& device) {
  std::vector<Tensor> list;
  for (const int64_t count : {1, 0, 33, 4096, 70001}) {
    Tensor x = Tensor::Empty(Shape{count + 3}, DType::kFloat64, Device::Host());
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      x.mutable_data<double>()[i] = (i * 37 % 1001 + rank * 59) / 7.0 - 60;
    }
    list.push_back(x.Cast(dtype).To(device).Slice(rank % 3, count + rank % 3));
  }
  return list;
}

// Many small tensors: more than fit into one launch's table.
std::vector<Tensor> ManyTensors(int rank, Device& device) {
  std::vector<Tensor> list;
  for (int64_t i = 0; i < 1500; ++i) {
    list.push_back(
        Tensor::Full(Shape{i % 5}, static_cast<float>(rank + i), device));
  }
  return list;
}

using CollectivesGpuTest = CollectivesGpuFixture<GpuTest>;

TEST_F(CollectivesGpuTest, LogicalDevicesOfOneGpuGiveTheHostsBits) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    const std::vector<Device*> devices = DivideGpu(ranks);
    for (const auto& ops : AllAlgorithms()) {
      for (const DType dtype : kTypes) {
        const auto list = [dtype](int r, Device& device) {
          return ListOf(r, dtype, device);
        };
        ExpectHostsBits(ops, ReduceOp::kSum, devices, list);
        ExpectHostsBits(ops, ReduceOp::kMean, devices, list);
      }
      ExpectHostsBits(ops, ReduceOp::kSum, devices, ManyTensors);
    }
  }
}

// Each rank has its own stream and thread. Values must be written before they
// are read, and read before their memory is freed. 64 rounds, each with another
// value.
TEST_F(CollectivesGpuTest, RanksThatCallTogetherWaitByEvents) {
  const std::vector<Device*> devices = DivideGpu(4);
  for (const auto& ops : AllAlgorithms()) {
    Ranks(4, ops).Run([&](Group& group) {
      DeviceScope scope(*devices[group.rank()]);
      for (int round = 0; round < 64; ++round) {
        const auto mine = static_cast<float>(group.rank() + round);
        const TensorList values = {Tensor::Full(Shape{100003}, mine)};
        const Tensor sum =
            group.AllReduce(ReduceOp::kSum, values, {}).Wait()[0];
        ASSERT_EQ(sum.at<float>(100002), 4.0f * round + 6) << ops->name();
        ASSERT_EQ(sum.at<float>(0), 4.0f * round + 6);
      }
    });
  }
}

TEST_F(CollectivesGpuTest, OneGpuNeedsNoNccl) {
  const auto groups =
      MakeGroups(DivideGpu(2), nullptr, std::make_shared<Rendezvous>(2));
  EXPECT_EQ(groups[0]->algorithm(), "SharedMemoryAllReduce");
}

TEST_F(CollectivesGpuTest, NcclOfOneRankGivesItsOwnValues) {
  InProcessNcclIdExchange exchange;
  NcclCommunicator communicator(NcclLibrary(), 1, {{.rank = 0, .gpu = 0}},
                                exchange);
  const Tensor x = Tensor::FromVector<float>({1, 2, 3}, Shape{3}, gpu());
  Tensor sum = Tensor::Zeros(Shape{3}, DType::kFloat32, gpu());
  const NcclTransfer transfer[] = {
      {.in = x.raw_data(), .out = sum.mutable_raw_data(), .count = 3}};
  communicator.AllReduceSum(0, transfer,
                            StreamOf(gpu(), DeviceStream::kCompute));
  EXPECT_EQ(sum.ToVector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_NO_THROW(communicator.Check());
}

TEST_F(CollectivesGpuTest, MoreRanksThanGpusNeedANewNccl) {
  auto& collectives = CurrentGpuCollectives("Test");
  const std::vector<Device*> devices = DivideGpu(2);
  const auto rendezvous = std::make_shared<Rendezvous>(2);
  if (collectives.Nccl()->AllowsManyRanksPerGpu()) {
    Ranks ranks(rendezvous, collectives.MakeNccl(devices, rendezvous));
    const auto make = [](int r, Device& device) {
      return std::vector<Tensor>{
          Tensor::Full(Shape{1000}, static_cast<float>(r), device)};
    };
    const auto sums = AllReduceTogether(std::move(ranks), ReduceOp::kSum,
                                        MakeLists(devices, make));
    for (const TensorList& sum : sums) {
      EXPECT_EQ(sum[0].ToVector<float>(), std::vector<float>(1000, 1));
    }
    return;
  }
  try {
    collectives.MakeNccl(devices, rendezvous);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("NCCL_MULTI_RANK_GPU_ENABLE"),
              std::string::npos);
  }
}

}  // namespace

// All-reduces that overlap with the GPU's computations.

namespace {

class OverlappedAllReduceTest : public GpuTest {
 protected:
  void RunOnGpus(const CrossDeviceOpsPtr& ops,
                 const std::function<void(Group&)>& body) {
    const std::vector<Device*> devices = DivideGpu(kRanks);
    Ranks(kRanks, ops).Run([&](Group& group) {
      DeviceScope scope(*devices[group.rank()]);
      body(group);
    });
  }
  static Pending<TensorList> Start(Group& group, const TensorList& values) {
    return group.AllReduce(ReduceOp::kSum, values, {.overlapped = true});
  }

  // Two sums whose values are written after a gate opens and read at once.
  // Memory is freed and reused before and after them.
  void SumTwice(Group& group, int round, bool gated) {
    const auto mine = static_cast<float>(group.rank() + round);
    std::vector<Pending<TensorList>> sums;
    {
      std::optional<StreamGate> gate;
      if (gated) gate.emplace(Device::Current());
      sums.push_back(Start(group, {Tensor::Full(Shape{kCount}, mine)}));
      Tensor::Full(Shape{kCount}, -1.0f);
      sums.push_back(Start(group, {Tensor::Full(Shape{kCount}, 2 * mine)}));
    }
    const Tensor one = sums[0].Wait()[0], two = sums[1].Wait()[0];
    ASSERT_EQ(one.at<float>(kCount - 1), 2 * round + 1);
    ASSERT_EQ(two.at<float>(kCount - 1), 4 * round + 2);
  }

  // Allocates memory and loads kernels, for which CUDA may wait for the whole
  // GPU: no gate may be closed until all ranks are through.
  void WarmUp(const CrossDeviceOpsPtr& ops) {
    RunOnGpus(ops, [&](Group& group) { SumTwice(group, 0, /*gated=*/false); });
  }

  static constexpr int kRanks = 2;
  static constexpr int64_t kCount = 100'003;
};

TEST_F(OverlappedAllReduceTest, TheSumDoesNotWaitForLaterWork) {
  for (const auto& ops : AllAlgorithms()) {
    WarmUp(ops);
    RunOnGpus(ops, [&](Group& group) {
      auto sum =
          Start(group, {Tensor::Full(Shape{kCount}, group.rank() + 1.0f)});
      StreamGate gate(Device::Current());
      CudaMemory::Of(Device::Current())
          .streams()
          .stream(DeviceStream::kCommunication)
          .Synchronize();  // returns although the gate is closed
      gate.Open();
      EXPECT_EQ(sum.Wait()[0].at<float>(kCount - 1), 3) << ops->name();
    });
  }
}

// 31 rounds, each with another value.
TEST_F(OverlappedAllReduceTest, SumsAreOrderedWithComputations) {
  for (const auto& ops : AllAlgorithms()) {
    WarmUp(ops);
    RunOnGpus(ops, [&](Group& group) {
      for (int round = 1; round < 32; ++round) {
        SumTwice(group, round, /*gated=*/true);
        if (HasFatalFailure()) return;
      }
    });
  }
}

TEST_F(OverlappedAllReduceTest, IsCapturedWithAStep) {
  const std::vector<Device*> devices = DivideGpu(kRanks);
  for (const auto& ops : AllAlgorithms()) {
    std::vector<Tensor> values, results(kRanks);
    for (Device* device : devices) {
      values.push_back(Tensor::Full(Shape{kCount}, 1.0f, *device));
    }
    const auto step = [&](PrivateMemory* memory) {
      RunOnGpus(ops, [&](Group& group) {
        const int r = group.rank();
        std::optional<PrivateMemory::Scope> scope;
        if (memory != nullptr) scope.emplace(*memory);
        auto one = Start(group, {values[r]});
        auto two = Start(group, {values[r], values[r]});
        one.Wait();
        results[r] = two.Wait()[1];
      });
    };
    step(nullptr);  // makes streams and memory
    CaptureSession session(devices);
    step(session.memory().get());
    const CapturedWork work = session.Finish();
    for (const float value : {3.0f, 5.0f}) {
      const std::vector<float> all(kCount, value);
      devices[1]->memory()->CopyFromHost(values[1].mutable_raw_data(),
                                         all.data(), values[1].bytes());
      work.graph->Launch();
      for (const Tensor& result : results) {
        EXPECT_EQ(result.at<float>(kCount - 1), 1 + value) << ops->name();
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
