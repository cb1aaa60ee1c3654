// A GPU's streams beside each other.
#include <cstddef>
#include <vector>

#include "reference/device/buffer.h"
#include "reference/device/cuda/cuda_event.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/cuda_queues.h"
#include "reference/device/cuda/stream_gate.h"
#include "reference/device/gpu_testing.h"

namespace lockstep {
namespace {

constexpr size_t kBytes = 3 * PinnedStaging::kSlotBytes + 5;

class CudaQueuesTest : public GpuTest {
 protected:
  CudaMemory& memory() { return CudaMemory::Of(gpu()); }
  CudaQueues& queues() { return memory().queues(); }
};

TEST_F(CudaQueuesTest, TheComputeQueueIsTheDevices) {
  EXPECT_EQ(queues().stream(DeviceQueue::kCompute).get(), StreamOf(gpu()));
  EXPECT_EQ(StreamOf(gpu(), DeviceQueue::kCopy),
            queues().stream(DeviceQueue::kCopy).get());
  EXPECT_NE(StreamOf(gpu(), DeviceQueue::kCopy), StreamOf(gpu()));
  EXPECT_NE(StreamOf(gpu(), DeviceQueue::kCopy),
            StreamOf(gpu(), DeviceQueue::kCommunication));
}

TEST_F(CudaQueuesTest, ACopyDoesNotWaitForWhatIsComputed) {
  const std::vector<std::byte> bytes(kBytes, std::byte{7});
  const BufferPtr buffer = Buffer::Allocate(gpu(), kBytes);
  // Pinned memory is made here, for which CUDA may wait.
  queues().CopyFromHost(buffer->data(), bytes.data(), kBytes);
  const auto free = queues().Record(DeviceQueue::kCompute);
  StreamGate gate(gpu());
  queues().WaitFor(DeviceQueue::kCopy, *free);
  queues().CopyFromHost(buffer->data(), bytes.data(), kBytes);
  queues().stream(DeviceQueue::kCopy).Synchronize();  // returns: gate closed
  gate.Open();
  Follow(queues(), DeviceQueue::kCompute, DeviceQueue::kCopy);
  std::vector<std::byte> back(kBytes);
  memory().CopyToHost(back.data(), buffer->data(), kBytes);
  EXPECT_TRUE(back == bytes);
}

TEST_F(CudaQueuesTest, AQueueWaitsForAMark) {
  queues().stream(DeviceQueue::kCommunication);  // made before the gate
  StreamGate gate(gpu());
  Follow(queues(), DeviceQueue::kCommunication, DeviceQueue::kCompute);
  CudaEvent passed;
  passed.Record(queues().stream(DeviceQueue::kCommunication));
  EXPECT_EQ(cudaEventQuery(passed.get()), cudaErrorNotReady);
  cudaGetLastError();  // was an answer
  gate.Open();
  passed.Synchronize();
  EXPECT_EQ(cudaEventQuery(passed.get()), cudaSuccess);
}

TEST_F(CudaQueuesTest, LogicalDevicesHaveQueuesOfTheirOwn) {
  const std::vector<Device*> devices = DivideGpu(2);
  EXPECT_NE(StreamOf(*devices[0], DeviceQueue::kCommunication),
            StreamOf(*devices[1], DeviceQueue::kCommunication));
  StreamGate gate(*devices[0]);
  Follow(CudaMemory::Of(*devices[0]).queues(), DeviceQueue::kCopy,
         DeviceQueue::kCompute);
  CudaMemory::Of(*devices[1])
      .queues()
      .stream(DeviceQueue::kCopy)
      .Synchronize();  // returns: it does not wait for the other's
}

}  // namespace
}  // namespace lockstep
