// All-reduces beside what the GPU computes.
#include <optional>
#include <vector>

#include "reference/collectives/all_algorithms.h"
#include "reference/collectives/overlapped_all_reduce.h"
#include "reference/collectives/rank_threads.h"
#include "reference/device/capture_session.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/stream_gate.h"
#include "reference/device/gpu_testing.h"

namespace lockstep {
namespace {

class OverlappedAllReduceTest : public GpuTest {
 protected:
  void RunOnGpus(const std::function<void(int)>& body) {
    const std::vector<Device*> devices = DivideGpu(kRanks);
    const auto errors = RunRanks(communicator_, [&](int r) {
      DeviceScope scope(*devices[r]);
      body(r);
    });
    for (const auto& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

  // Two sums whose values are written behind a gate and read at once, with
  // memory freed and used again around them.
  void SumTwice(const CrossDeviceOps& ops, int r, int round, bool gated) {
    OverlappedAllReduce sums(&communicator_, r, &ops);
    const float mine = static_cast<float>(r + round);
    {
      std::optional<StreamGate> gate;
      if (gated) gate.emplace(Device::Current());
      sums.Start(ReduceOp::kSum, {Tensor::Full(Shape{kCount}, mine)});
      Tensor::Full(Shape{kCount}, -1.0f);
      sums.Start(ReduceOp::kSum, {Tensor::Full(Shape{kCount}, 2 * mine)});
    }
    const auto results = sums.Finish();
    ASSERT_EQ(results[0][0].at<float>(kCount - 1), 2 * round + 1);
    ASSERT_EQ(results[1][0].at<float>(kCount - 1), 4 * round + 2);
  }

  // Memory is taken and kernels are loaded here, for which CUDA may wait for the
  // whole GPU: until all ranks are through, nobody's gate may be closed.
  void WarmUp(const CrossDeviceOps& ops) {
    RunOnGpus([&](int r) { SumTwice(ops, r, 0, /*gated=*/false); });
  }

  static constexpr int kRanks = 2;
  static constexpr int64_t kCount = 100'003;
  Communicator communicator_{kRanks};
};

TEST_F(OverlappedAllReduceTest, TheSumDoesNotWaitForWhatIsComputedLater) {
  for (const auto& ops : AllAlgorithms()) {
    WarmUp(*ops);
    RunOnGpus([&](int r) {
      OverlappedAllReduce sums(&communicator_, r, ops.get());
      sums.Start(ReduceOp::kSum, {Tensor::Full(Shape{kCount}, r + 1.0f)});
      StreamGate gate(Device::Current());
      CudaMemory::Of(Device::Current())
          .queues()
          .stream(DeviceQueue::kCommunication)
          .Synchronize();  // returns: the gate is closed
      gate.Open();
      EXPECT_EQ(sums.Finish()[0][0].at<float>(kCount - 1), 3) << ops->name();
    });
  }
}

// 31 rounds, each with another value.
TEST_F(OverlappedAllReduceTest, SumsAreOrderedWithWhatIsComputed) {
  for (const auto& ops : AllAlgorithms()) {
    WarmUp(*ops);
    RunOnGpus([&](int r) {
      for (int round = 1; round < 32; ++round) {
        SumTwice(*ops, r, round, /*gated=*/true);
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
      RunOnGpus([&](int r) {
        std::optional<PrivateMemory::Scope> scope;
        if (memory != nullptr) scope.emplace(*memory);
        OverlappedAllReduce sums(&communicator_, r, ops.get());
        sums.Start(ReduceOp::kSum, {values[r]});
        sums.Start(ReduceOp::kSum, {values[r], values[r]});
        results[r] = sums.Finish()[1][1];
      });
    };
    step(nullptr);  // queues and memory are made
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
