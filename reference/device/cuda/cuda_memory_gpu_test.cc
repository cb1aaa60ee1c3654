// A GPU's memory, queue and pool.
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/cuda/cuda_event.h"
#include "reference/device/cuda/cuda_memory.h"
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

TEST_F(CudaMemoryTest, BytesComeBackWhateverTheirNumber) {
  constexpr size_t kSlot = PinnedStaging::kSlotBytes;
  for (const size_t count : {size_t{0}, size_t{1}, size_t{1000}, kSlot - 1,
                             kSlot, kSlot + 1, 3 * kSlot + 5}) {
    const std::vector<uint8_t> bytes = Bytes(count);
    EXPECT_TRUE(Read(Write(gpu(), bytes)) == bytes) << count;
  }
}

TEST_F(CudaMemoryTest, TheSourceOfACopyMayChangeAtOnce) {
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

TEST_F(CudaMemoryTest, FillsWithWordsOfEverySize) {
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

TEST_F(CudaMemoryTest, LogicalDevicesHaveTheirOwnQueueAndPool) {
  const std::vector<Device*> parts = DivideGpu(2);
  EXPECT_NE(StreamOf(*parts[0]), StreamOf(*parts[1]));
  const int64_t before = parts[1]->pool().statistics().bytes_in_use;
  const BufferPtr buffer = Buffer::Allocate(*parts[0], 1 << 20);
  EXPECT_EQ(parts[1]->pool().statistics().bytes_in_use, before);
}

TEST_F(CudaMemoryTest, CopiesBetweenLogicalDevicesInOrder) {
  const std::vector<Device*> parts = DivideGpu(2);
  const std::vector<uint8_t> bytes = Bytes(64 << 20);
  const BufferPtr to = Buffer::Allocate(*parts[1], bytes.size());
  {
    const BufferPtr from = Write(*parts[0], bytes);
    parts[1]->memory()->CopyFrom(*parts[0]->memory(), to->data(), from->data(),
                                 bytes.size());
  }
  // Takes the block that the copy may still read.
  const BufferPtr again = Buffer::Allocate(*parts[0], bytes.size());
  const uint8_t zero = 0;
  parts[0]->memory()->Fill(again->data(), &zero, 1, bytes.size());
  EXPECT_TRUE(Read(to) == bytes);
}

TEST_F(CudaMemoryTest, OutOfMemoryIsTypedAndTheDeviceStaysUsable) {
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
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);  // nobody is blamed for it
  const std::vector<uint8_t> bytes = Bytes(100);
  EXPECT_EQ(Read(Write(gpu(), bytes)), bytes);
}

TEST_F(CudaMemoryTest, APartMakesRoomForAnother) {
  const std::vector<Device*> parts = DivideGpu(2);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  StreamOf(gpu());
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  const size_t most = free_bytes / 5 * 3;
  Buffer::Allocate(*parts[0], most);  // kept by the first part's pool
  EXPECT_TRUE(Buffer::Allocate(*parts[1], most));
}

TEST_F(CudaMemoryTest, EventsMeasureTheQueue) {
  CudaMemory& queue = memory();
  CudaEvent begin(CudaEvent::Timing::kYes);
  CudaEvent end(CudaEvent::Timing::kYes);
  const BufferPtr buffer = Buffer::Allocate(gpu(), 1 << 20);
  const uint8_t zero = 0;
  begin.Record(queue.stream());
  queue.Fill(buffer->data(), &zero, 1, buffer->bytes());
  end.Record(queue.stream());
  end.Synchronize();
  EXPECT_GT(end.MillisecondsSince(begin), 0);
}

}  // namespace
}  // namespace lockstep
