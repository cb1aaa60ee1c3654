// Work captured in a GPU's queues, and launched.
#include <cstdint>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/capture_session.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/gpu_testing.h"

namespace lockstep {
namespace {

constexpr int64_t kCount = 1 << 20;

class CudaGraphTest : public GpuTest {
 protected:
  static BufferPtr Filled(Device& device, int32_t value) {
    BufferPtr buffer = Buffer::Allocate(device, kCount * sizeof(value));
    Fill(buffer, value);
    return buffer;
  }
  static void Fill(const BufferPtr& buffer, int32_t value) {
    buffer->device().memory()->Fill(buffer->data(), &value, sizeof(value),
                                    kCount);
  }
  static void Copy(const BufferPtr& to, const BufferPtr& from) {
    to->device().memory()->CopyFrom(*from->device().memory(), to->data(),
                                    from->data(), to->bytes());
  }
  static int32_t Last(const BufferPtr& buffer) {
    std::vector<int32_t> values(kCount);
    buffer->device().memory()->CopyToHost(values.data(), buffer->data(),
                                          buffer->bytes());
    return values.back();
  }
};

TEST_F(CudaGraphTest, QueuesThatWaitForEachOtherAreOneGraph) {
  const std::vector<Device*> devices = DivideGpu(3);
  std::vector<BufferPtr> buffers;
  for (Device* device : devices) buffers.push_back(Filled(*device, 0));
  CaptureSession session(devices);
  {
    PrivateMemory::Scope scope(*session.memory());
    Copy(buffers[1], buffers[0]);
    Copy(buffers[2], buffers[1]);
    Fill(buffers[0], -1);
  }
  const CapturedWork work = session.Finish();
  for (int32_t round = 1; round < 20; ++round) {
    Fill(buffers[0], round);  // in its own queue: the launch comes later
    work.graph->Launch();
    EXPECT_EQ(Last(buffers[2]), round);
    EXPECT_EQ(Last(buffers[0]), -1);
  }
}

TEST_F(CudaGraphTest, MemoryIsAllocatedWithinACapture) {
  CapturedWork work;
  const BufferPtr result = Filled(gpu(), 0);
  gpu().pool().Trim();  // nothing is left: the capture grows the pool
  {
    CaptureSession session({&gpu()});
    {
      PrivateMemory::Scope scope(*session.memory());
      Copy(result, Filled(gpu(), 7));
    }
    work = session.Finish();
  }
  const BufferPtr other = Filled(gpu(), 3);
  work.graph->Launch();
  EXPECT_EQ(Last(result), 7);
  EXPECT_EQ(Last(other), 3);
}

TEST_F(CudaGraphTest, NothingIsGivenBackToTheGpuWithinACapture) {
  CapturedWork work;
  const BufferPtr result = Filled(gpu(), 0);
  const int64_t kept = [&] {
    CaptureSession session({&gpu()});
    {
      PrivateMemory::Scope scope(*session.memory());
      Copy(result, Filled(gpu(), 7));
    }
    // Of the device's pool, and given back to that.
    Buffer::Allocate(gpu(), kCount * sizeof(int32_t));
    gpu().pool().Trim();
    const int64_t cached = gpu().pool().statistics().bytes_cached;
    work = session.Finish();
    return cached;
  }();
  EXPECT_GT(kept, 0);
  work.graph->Launch();
  EXPECT_EQ(Last(result), 7);
  gpu().pool().Trim();
  EXPECT_EQ(gpu().pool().statistics().bytes_cached, 0);
}

TEST_F(CudaGraphTest, ACaptureThatIsThrownAwayLeavesTheQueuesUsable) {
  const std::vector<Device*> devices = DivideGpu(2);
  const BufferPtr a = Filled(*devices[0], 1);
  const BufferPtr b = Filled(*devices[1], 2);
  {
    CaptureSession session(devices);
    PrivateMemory::Scope scope(*session.memory());
    Copy(b, a);
    EXPECT_THROW(Last(b), Error);
  }
  EXPECT_EQ(Last(b), 2);
  Copy(b, a);
  EXPECT_EQ(Last(b), 1);
}

TEST_F(CudaGraphTest, AViolatedCaptureIsTypedAndLeavesTheQueueUsable) {
  const BufferPtr a = Filled(gpu(), 1);
  {
    CaptureSession session({&gpu()});
    // What our own wrappers refuse.
    EXPECT_NE(cudaStreamSynchronize(StreamOf(gpu())), cudaSuccess);
    cudaGetLastError();
    EXPECT_THROW(session.Finish(), Error);
  }
  Fill(a, 4);
  EXPECT_EQ(Last(a), 4);
}

}  // namespace
}  // namespace lockstep
