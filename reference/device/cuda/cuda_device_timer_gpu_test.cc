// Times of points in a GPU's stream, in steps that are queued and replayed.
#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/device_timer.h"
#include "reference/device/gpu_testing.h"

namespace lockstep {
namespace {

constexpr int64_t kWords = int64_t{32} << 20;  // about 0.1 ms of a GPU's time

class CudaDeviceTimerTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    buffer_ = Buffer::Allocate(gpu(), kWords * sizeof(float));
    timer_ = gpu::MakeDeviceTimer(gpu(), 2);
    Work();  // the first launch of a kernel loads it
    memory().Synchronize();
  }
  CudaMemory& memory() { return CudaMemory::Of(gpu()); }
  cudaStream_t stream() { return StreamOf(gpu()); }

  void Work() {
    const float zero = 0;
    memory().Fill(buffer_->data(), &zero, sizeof(zero), kWords);
  }

  // A step whose first part is eight times as long as its second.
  void Step() {
    timer_->Begin();
    for (int i = 0; i < 8; ++i) Work();
    timer_->Mark();
    Work();
    timer_->Mark();
  }

  static void ExpectAStep(const DeviceTimer::Row& row) {
    ASSERT_EQ(row.seconds.size(), 2u);
    EXPECT_GT(row.seconds[0], 2 * row.seconds[1]);
    EXPECT_GT(row.seconds[1], 0);
    EXPECT_LT(row.seconds[0], 1);
  }

  BufferPtr buffer_;
  std::unique_ptr<DeviceTimer> timer_;
};

TEST_F(CudaDeviceTimerTest, ReturnsEachStepOnceInOrder) {
  const auto before = DeviceTimer::Clock::now();
  for (int step = 0; step < 3; ++step) Step();
  memory().Synchronize();
  const auto after = DeviceTimer::Clock::now();
  const std::vector<DeviceTimer::Row> rows = timer_->TakeReached();
  ASSERT_EQ(rows.size(), 3u);
  for (const DeviceTimer::Row& row : rows) ExpectAStep(row);
  EXPECT_LT(rows[0].start, rows[1].start);
  EXPECT_LT(rows[1].start, rows[2].start);
  // The GPU's clock is set by the host's: the error is that of one wait.
  EXPECT_GT(rows[0].start, before - std::chrono::milliseconds(1));
  EXPECT_LT(rows[2].start, after + std::chrono::milliseconds(1));
  EXPECT_TRUE(timer_->TakeReached().empty());
}

TEST_F(CudaDeviceTimerTest, NewStepsReplaceOldOnes) {
  for (int step = 0; step < DeviceTimer::kRows + 5; ++step) Step();
  memory().Synchronize();
  EXPECT_EQ(timer_->TakeReached().size(), size_t{DeviceTimer::kRows});
}

TEST_F(CudaDeviceTimerTest, ReturnsTheLastReplay) {
  const cudaStream_t compute = stream();
  CheckCuda(cudaStreamBeginCapture(compute, cudaStreamCaptureModeThreadLocal),
            "[Test] begin capture");
  Step();
  cudaGraph_t graph = nullptr;
  CheckCuda(cudaStreamEndCapture(compute, &graph), "[Test] end capture");
  cudaGraphExec_t replay = nullptr;
  CheckCuda(cudaGraphInstantiate(&replay, graph, 0), "[Test] instantiate");
  EXPECT_TRUE(timer_->TakeReached().empty());
  auto previous = DeviceTimer::Clock::time_point::min();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) {
      CheckCuda(cudaGraphLaunch(replay, compute), "[Test] launch");
    }
    memory().Synchronize();
    const std::vector<DeviceTimer::Row> rows = timer_->TakeReached();
    ASSERT_EQ(rows.size(), 1u);
    ExpectAStep(rows[0]);
    EXPECT_GT(rows[0].start, previous);
    previous = rows[0].start;
    EXPECT_TRUE(timer_->TakeReached().empty());
  }
  CheckCuda(cudaGraphExecDestroy(replay), "[Test] destroy");
  CheckCuda(cudaGraphDestroy(graph), "[Test] destroy");
}

TEST_F(CudaDeviceTimerTest, OmitsIncompleteSteps) {
  timer_->Begin();
  timer_->Mark();
  memory().Synchronize();
  EXPECT_TRUE(timer_->TakeReached().empty());
}

}  // namespace
}  // namespace lockstep
