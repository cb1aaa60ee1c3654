// A GPU's memory, stream and pool.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/capture_session.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/cuda_streams.h"
#include "reference/device/cuda/stream_gate.h"
#include "reference/device/gpu_testing.h"

namespace lockstep {
namespace {

class CudaMemoryTest : public GpuTest {
 protected:
  CudaMemory& memory() { return CudaMemory::Of(gpu()); }
};

std::vector<uint8_t> Bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + 1);
  return bytes;
}

std::vector<uint8_t> Read(const BufferPtr& buffer) {
  std::vector<uint8_t> bytes(buffer->bytes());
  buffer->device().memory()->CopyToHost(bytes.data(), buffer->data(),
                                        bytes.size());
  return bytes;
}

BufferPtr Write(Device& device, const std::vector<uint8_t>& bytes) {
  BufferPtr buffer = Buffer::Allocate(device, bytes.size());
  device.memory()->CopyFromHost(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

TEST_F(CudaMemoryTest, CopiesAnyNumberOfBytes) {
  constexpr size_t kSlot = PinnedStaging::kSlotBytes;
  for (const size_t count : {size_t{0}, size_t{1}, size_t{1000}, kSlot - 1,
                             kSlot, kSlot + 1, 3 * kSlot + 5}) {
    const std::vector<uint8_t> bytes = Bytes(count);
    EXPECT_TRUE(Read(Write(gpu(), bytes)) == bytes) << count;
  }
}

TEST_F(CudaMemoryTest, SourceOfACopyMayChangeAtOnce) {
  std::vector<uint8_t> bytes = Bytes(1 << 20);
  const std::vector<uint8_t> wanted = bytes;
  const BufferPtr buffer = Write(gpu(), bytes);
  std::memset(bytes.data(), 0, bytes.size());
  EXPECT_TRUE(Read(buffer) == wanted);
}

TEST_F(CudaMemoryTest, CopiesWithinADevice) {
  const std::vector<uint8_t> bytes = Bytes(1001);
  const BufferPtr from = Write(gpu(), bytes);
  const BufferPtr to = Buffer::Allocate(gpu(), bytes.size());
  memory().Copy(to->data(), from->data(), bytes.size());
  EXPECT_EQ(Read(to), bytes);
}

TEST_F(CudaMemoryTest, FillsWithAnyWordSize) {
  const uint64_t pattern = 0x0807060504030201;
  for (const size_t word : {1, 2, 4, 8}) {
    const BufferPtr buffer = Buffer::Allocate(gpu(), 13 * word);
    memory().Fill(buffer->data(), &pattern, word, 13);
    const std::vector<uint8_t> bytes = Read(buffer);
    for (size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_EQ(bytes[i], i % word + 1) << word;
    }
  }
}

TEST_F(CudaMemoryTest, LogicalDevicesHaveOwnStreamsAndPools) {
  const std::vector<Device*> parts = DivideGpu(2);
  EXPECT_NE(StreamOf(*parts[0]), StreamOf(*parts[1]));
  const int64_t before = parts[1]->pool().statistics().bytes_in_use;
  const BufferPtr buffer = Buffer::Allocate(*parts[0], 1 << 20);
  EXPECT_EQ(parts[1]->pool().statistics().bytes_in_use, before);
}

TEST_F(CudaMemoryTest, CopiesBetweenDevicesInOrder) {
  const std::vector<Device*> parts = DivideGpu(2);
  const std::vector<uint8_t> bytes = Bytes(64 << 20);
  const BufferPtr to = Buffer::Allocate(*parts[1], bytes.size());
  {
    const BufferPtr from = Write(*parts[0], bytes);
    parts[1]->memory()->CopyFrom(*parts[0]->memory(), to->data(), from->data(),
                                 bytes.size());
  }
  // Gets the block that the copy may still read.
  const BufferPtr again = Buffer::Allocate(*parts[0], bytes.size());
  const uint8_t zero = 0;
  parts[0]->memory()->Fill(again->data(), &zero, 1, bytes.size());
  EXPECT_TRUE(Read(to) == bytes);
}

TEST_F(CudaMemoryTest, DeviceIsUsableAfterOutOfMemory) {
  const int64_t before = gpu().pool().statistics().bytes_in_use;
  try {
    Buffer::Allocate(gpu(), size_t{1} << 45);
    FAIL() << "got 32 TiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
    const std::string message = error.what();
    EXPECT_NE(message.find("35184372088832 bytes"), std::string::npos)
        << message;
    EXPECT_NE(message.find("bytes free"), std::string::npos) << message;
  }
  EXPECT_EQ(gpu().pool().statistics().bytes_in_use, before);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);  // not reported again
  const std::vector<uint8_t> bytes = Bytes(100);
  EXPECT_EQ(Read(Write(gpu(), bytes)), bytes);
}

TEST_F(CudaMemoryTest, OutOfMemoryTrimsOtherPools) {
  const std::vector<Device*> parts = DivideGpu(2);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  StreamOf(gpu());
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  const size_t most = free_bytes / 5 * 3;
  Buffer::Allocate(*parts[0], most);  // kept by the first part's pool
  EXPECT_TRUE(Buffer::Allocate(*parts[1], most));
}

}  // namespace

// The streams of one GPU.

namespace {

constexpr size_t kBytes = 3 * PinnedStaging::kSlotBytes + 5;

class CudaStreamsTest : public GpuTest {
 protected:
  CudaMemory& memory() { return CudaMemory::Of(gpu()); }
  CudaStreams& streams() { return memory().streams(); }
};

TEST_F(CudaStreamsTest, ComputeStreamIsTheDevices) {
  EXPECT_EQ(streams().stream(DeviceStream::kCompute).get(), StreamOf(gpu()));
  EXPECT_EQ(StreamOf(gpu(), DeviceStream::kCopy),
            streams().stream(DeviceStream::kCopy).get());
  EXPECT_NE(StreamOf(gpu(), DeviceStream::kCopy), StreamOf(gpu()));
  EXPECT_NE(StreamOf(gpu(), DeviceStream::kCopy),
            StreamOf(gpu(), DeviceStream::kCommunication));
}

TEST_F(CudaStreamsTest, CopiesDoNotWaitForCompute) {
  const std::vector<std::byte> bytes(kBytes, std::byte{7});
  const BufferPtr buffer = Buffer::Allocate(gpu(), kBytes);
  // Pinned memory is made here, for which CUDA may wait.
  streams().CopyFromHost(buffer->data(), bytes.data(), kBytes);
  const auto free = streams().Record(DeviceStream::kCompute);
  StreamGate gate(gpu());
  streams().WaitFor(DeviceStream::kCopy, *free);
  streams().CopyFromHost(buffer->data(), bytes.data(), kBytes);
  streams().stream(DeviceStream::kCopy).Synchronize();  // returns: gate closed
  gate.Open();
  Follow(streams(), DeviceStream::kCompute, DeviceStream::kCopy);
  std::vector<std::byte> back(kBytes);
  memory().CopyToHost(back.data(), buffer->data(), kBytes);
  EXPECT_TRUE(back == bytes);
}

TEST_F(CudaStreamsTest, StreamWaitsForAnEvent) {
  streams().stream(DeviceStream::kCommunication);  // made before the gate
  StreamGate gate(gpu());
  Follow(streams(), DeviceStream::kCommunication, DeviceStream::kCompute);
  CudaEvent passed;
  passed.Record(streams().stream(DeviceStream::kCommunication));
  EXPECT_EQ(cudaEventQuery(passed.get()), cudaErrorNotReady);
  cudaGetLastError();  // not an error here
  gate.Open();
  passed.Synchronize();
  EXPECT_EQ(cudaEventQuery(passed.get()), cudaSuccess);
}

TEST_F(CudaStreamsTest, LogicalDevicesHaveOwnStreams) {
  const std::vector<Device*> devices = DivideGpu(2);
  EXPECT_NE(StreamOf(*devices[0], DeviceStream::kCommunication),
            StreamOf(*devices[1], DeviceStream::kCommunication));
  StreamGate gate(*devices[0]);
  Follow(CudaMemory::Of(*devices[0]).streams(), DeviceStream::kCopy,
         DeviceStream::kCompute);
  CudaMemory::Of(*devices[1])
      .streams()
      .stream(DeviceStream::kCopy)
      .Synchronize();  // returns: it does not wait for the other's
}

}  // namespace

// Work captured in a GPU's streams, and launched.

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

TEST_F(CudaGraphTest, StreamsThatWaitForEachOtherAreOneGraph) {
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
    Fill(buffers[0], round);  // in its own stream: the launch comes later
    work.graph->Launch();
    EXPECT_EQ(Last(buffers[2]), round);
    EXPECT_EQ(Last(buffers[0]), -1);
  }
}

TEST_F(CudaGraphTest, AllocatesDuringCapture) {
  CapturedWork work;
  const BufferPtr result = Filled(gpu(), 0);
  gpu().pool().Trim();  // empty, so that the capture grows the pool
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

TEST_F(CudaGraphTest, ReturnsNoMemoryDuringCapture) {
  CapturedWork work;
  const BufferPtr result = Filled(gpu(), 0);
  const int64_t kept = [&] {
    CaptureSession session({&gpu()});
    {
      PrivateMemory::Scope scope(*session.memory());
      Copy(result, Filled(gpu(), 7));
    }
    // Comes from the device's pool and returns there.
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

TEST_F(CudaGraphTest, StreamsAreUsableAfterDiscardedCapture) {
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

TEST_F(CudaGraphTest, StreamIsUsableAfterInvalidCapture) {
  const BufferPtr a = Filled(gpu(), 1);
  {
    CaptureSession session({&gpu()});
    // A call that our wrappers would refuse.
    EXPECT_NE(cudaStreamSynchronize(StreamOf(gpu())), cudaSuccess);
    cudaGetLastError();
    EXPECT_THROW(session.Finish(), Error);
  }
  Fill(a, 4);
  EXPECT_EQ(Last(a), 4);
}

}  // namespace
}  // namespace lockstep
