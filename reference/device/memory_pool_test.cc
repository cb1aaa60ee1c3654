#include "reference/device/memory_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/limits/allocation_limit.h"
#include "reference/device/buffer.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

// Memory of a fixed size, part of which another user may hold.
class SmallMemory final : public MemorySource {
 public:
  explicit SmallMemory(size_t bytes) : left_(bytes) {}

  void* Take(size_t bytes) override {
    if (bytes > left_) return nullptr;
    left_ -= bytes;
    return std::aligned_alloc(kAlignment, bytes);
  }
  bool CanReturn() const override { return can_return; }
  void Return(void* block, size_t bytes) noexcept override {
    left_ += bytes;
    std::free(block);
  }
  void Reclaim() override { left_ += std::exchange(held_by_others, 0); }
  std::string Describe() const override {
    return "SMALL:0, " + std::to_string(left_) + " bytes free";
  }

  size_t left() const { return left_; }
  size_t held_by_others = 0;
  bool can_return = true;

 private:
  size_t left_;
};

TEST(MemoryPoolTest, ReturnsAllBlocksToItsSource) {
  SmallMemory memory(1 << 20);
  {
    MemoryPool pool(memory);
    std::vector<std::pair<void*, size_t>> blocks;
    for (size_t bytes = 1; bytes < 100'000; bytes = bytes * 5 / 4 + 1) {
      blocks.emplace_back(pool.Allocate(bytes), bytes);
    }
    for (const auto& [block, bytes] : blocks) pool.Free(block, bytes);
    EXPECT_LT(memory.left(), size_t{1} << 20);
    pool.Trim();
    EXPECT_EQ(memory.left(), size_t{1} << 20);
    pool.Free(pool.Allocate(1000), 1000);
  }
  EXPECT_EQ(memory.left(), size_t{1} << 20);
}

TEST(MemoryPoolTest, TrimsBeforeItFails) {
  SmallMemory memory(4096);
  MemoryPool pool(memory);
  pool.Free(pool.Allocate(2048), 2048);
  void* block = pool.Allocate(4096);  // more than is left
  EXPECT_EQ(pool.statistics().bytes_cached, 0);
  EXPECT_EQ(pool.statistics().bytes_in_use, 4096);
  pool.Free(block, 4096);
}

TEST(MemoryPoolTest, KeepsBlocksThatCannotBeReturned) {
  SmallMemory memory(4096);
  {
    MemoryPool pool(memory);
    void* kept = pool.Allocate(2048);
    pool.Free(kept, 2048);
    memory.can_return = false;
    EXPECT_THROW(pool.Allocate(4096), Error);
    pool.Trim();
    EXPECT_EQ(memory.left(), 2048u);
    EXPECT_EQ(pool.statistics().bytes_cached, 2048);
    EXPECT_EQ(pool.Allocate(2048), kept);
    pool.Free(kept, 2048);
    memory.can_return = true;
    pool.Free(pool.Allocate(4096), 4096);
    memory.can_return = false;
  }
  EXPECT_EQ(memory.left(), 4096u);  // the destructor returns everything
}

TEST(MemoryPoolTest, ReclaimsFromOtherPools) {
  SmallMemory memory(1024);
  memory.held_by_others = 1024;
  MemoryPool pool(memory);
  void* block = pool.Allocate(2048);
  EXPECT_NE(block, nullptr);
  pool.Free(block, 2048);
}

TEST(MemoryPoolTest, IsUsableAfterOutOfMemory) {
  SmallMemory memory(4096);
  MemoryPool pool(memory);
  void* held = pool.Allocate(1024);
  pool.Free(pool.Allocate(1024), 1024);
  try {
    pool.Allocate(8192);
    FAIL() << "got more than there is";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
    EXPECT_STREQ(error.what(),
                 "[Allocate] no memory for 8192 bytes, 1024 in use; from "
                 "SMALL:0, 3072 bytes free");
  }
  EXPECT_EQ(pool.statistics().bytes_in_use, 1024);
  void* block = pool.Allocate(3072);
  EXPECT_EQ(pool.statistics().bytes_in_use, 4096);
  pool.Free(block, 3072);
  pool.Free(held, 1024);
}

TEST(MemoryPoolTest, BlocksAreAlignedAndUsable) {
  MemoryPool pool;
  for (const size_t bytes :
       {0u, 1u, 63u, 64u, 65u, 1000u, 1u << 20, 5u << 20}) {
    void* block = pool.Allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % MemoryPool::kAlignment, 0u);
    std::memset(block, 0xff, bytes);
    pool.Free(block, bytes);
  }
}

TEST(MemoryPoolTest, ReusesFreedBlocks) {
  MemoryPool pool;
  void* first = pool.Allocate(1000);
  pool.Free(first, 1000);
  EXPECT_EQ(pool.Allocate(1010), first);
  EXPECT_EQ(pool.statistics().system_allocations, 1);
  pool.Free(first, 1010);
}

TEST(MemoryPoolTest, DoesNotReuseBlocksInUse) {
  MemoryPool pool;
  void* first = pool.Allocate(1000);
  void* second = pool.Allocate(1000);
  EXPECT_NE(first, second);
  pool.Free(first, 1000);
  pool.Free(second, 1000);
}

TEST(MemoryPoolTest, WastesAtMostAQuarter) {
  MemoryPool pool;
  for (size_t bytes = 256; bytes < 5000; ++bytes) {
    void* block = pool.Allocate(bytes);
    const int64_t in_use = pool.statistics().bytes_in_use;
    EXPECT_GE(in_use, static_cast<int64_t>(bytes));
    EXPECT_LE(in_use * 4, static_cast<int64_t>(bytes) * 5 + 4) << bytes;
    pool.Free(block, bytes);
  }
}

TEST(MemoryPoolTest, CountsBytesAndBlocks) {
  MemoryPool pool;
  void* block = pool.Allocate(1024);
  EXPECT_EQ(pool.statistics().bytes_in_use, 1024);
  EXPECT_EQ(pool.statistics().bytes_cached, 0);
  pool.Free(block, 1024);
  EXPECT_EQ(pool.statistics().bytes_in_use, 0);
  EXPECT_EQ(pool.statistics().bytes_cached, 1024);
  pool.Trim();
  EXPECT_EQ(pool.statistics().bytes_cached, 0);
}

TEST(MemoryPoolTest, ErrorStatesTheSizes) {
  MemoryPool pool;
  for (const size_t bytes : {size_t{1} << 60, SIZE_MAX, SIZE_MAX - 100}) {
    try {
      pool.Allocate(bytes);
      FAIL() << "got " << bytes << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted);
      EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)),
                std::string::npos);
    }
  }
  EXPECT_EQ(pool.statistics().bytes_in_use, 0);
}

TEST(MemoryPoolTest, FreesOnAnotherThread) {
  MemoryPool pool;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&pool] {
        for (size_t i = 0; i < 200; ++i) {
          void* block = pool.Allocate(100 + 10 * i);
          std::jthread([&pool, block, i] {
            pool.Free(block, 100 + 10 * i);
          }).join();
        }
      });
    }
  }
  EXPECT_EQ(pool.statistics().bytes_in_use, 0);
}

TEST(MemoryPoolTest, RecordsPeakUse) {
  MemoryPool pool;
  void* a = pool.Allocate(4096);
  void* b = pool.Allocate(8192);
  pool.Free(a, 4096);
  pool.Free(b, 8192);
  EXPECT_EQ(pool.statistics().peak_bytes_in_use, 4096 + 8192);
  pool.Free(pool.Allocate(8192), 8192);  // reuses a kept block
  EXPECT_EQ(pool.statistics().peak_bytes_in_use, 4096 + 8192);
  EXPECT_EQ(pool.statistics().bytes_in_use, 0);
}

int64_t BytesInUse(Device& device) {
  return device.pool().statistics().bytes_in_use;
}

TEST(BufferTest, UsesItsDevicesPool) {
  Device device(DeviceKind::kCpu, 0);
  {
    const BufferPtr buffer = Buffer::Allocate(device, 1000);
    EXPECT_EQ(&buffer->device(), &device);
    EXPECT_EQ(buffer->bytes(), 1000u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    std::memset(buffer->data(), 1, 1000);
    EXPECT_GE(BytesInUse(device), 1000);
  }
  EXPECT_EQ(BytesInUse(device), 0);
}

TEST(BufferTest, HeaderIsOnTheHost) {
  FakeGpu gpu;
  void* data = nullptr;
  {
    const BufferPtr buffer = Buffer::Allocate(gpu.device(), 1000);
    const BufferPtr copy = buffer;  // would fault in the GPU's memory
    EXPECT_FALSE(buffer->unique());
    data = buffer->data();
    std::memset(gpu.View(static_cast<char*>(data)), 1, 1000);
    EXPECT_GE(BytesInUse(gpu.device()), 1000);
  }
  EXPECT_EQ(BytesInUse(gpu.device()), 0);
  EXPECT_EQ(Buffer::Allocate(gpu.device(), 990)->data(), data);
}

TEST(BufferTest, OutOfMemoryOnAGpuLeaksNothing) {
  FakeGpu gpu(0, 4096);
  const BufferPtr held = Buffer::Allocate(gpu.device(), 1000);
  try {
    Buffer::Allocate(gpu.device(), 8192);
    FAIL() << "got more than there is";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
  }
  EXPECT_EQ(BytesInUse(gpu.device()), 1024);
  EXPECT_TRUE(Buffer::Allocate(gpu.device(), 1000));
}

TEST(BufferTest, LastOwnerFreesIt) {
  Device device(DeviceKind::kCpu, 0);
  BufferPtr first = Buffer::Allocate(device, 10);
  EXPECT_TRUE(first->unique());
  BufferPtr second = first;
  EXPECT_FALSE(first->unique());
  EXPECT_TRUE(first == second);
  first = BufferPtr();
  EXPECT_FALSE(first);
  EXPECT_TRUE(second->unique());
  EXPECT_GT(BytesInUse(device), 0);
  const BufferPtr third = std::move(second);
  EXPECT_FALSE(second);  // NOLINT: a moved-from pointer is empty
  EXPECT_TRUE(third->unique());
}

TEST(BufferTest, SelfAssignmentKeepsIt) {
  Device device(DeviceKind::kCpu, 0);
  BufferPtr buffer = Buffer::Allocate(device, 10);
  const BufferPtr& same = buffer;
  buffer = same;
  EXPECT_TRUE(buffer);
  EXPECT_TRUE(buffer->unique());
}

TEST(BufferTest, ReleasesWrappedMemoryOnce) {
  Device device(DeviceKind::kCpu, 0);
  int releases = 0;
  char memory[16];
  {
    const BufferPtr buffer = Buffer::Wrap(
        device, memory, sizeof(memory),
        [](void* context) { ++*static_cast<int*>(context); }, &releases);
    const BufferPtr copy = buffer;
    EXPECT_EQ(copy->data(), memory);
    EXPECT_EQ(releases, 0);
  }
  EXPECT_EQ(releases, 1);
  EXPECT_EQ(BytesInUse(device), 0);
  { Buffer::Wrap(device, memory, sizeof(memory), nullptr, nullptr); }
}

TEST(BufferTest, SharedByThreads) {
  Device device(DeviceKind::kCpu, 0);
  {
    const BufferPtr buffer = Buffer::Allocate(device, 10);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([buffer] {
        for (int i = 0; i < 1000; ++i) const BufferPtr copy = buffer;
      });
    }
  }
  EXPECT_EQ(BytesInUse(device), 0);
}

TEST(BufferTest, AliasSharesMemory) {
  Device here(DeviceKind::kCpu, 0);
  Device there(DeviceKind::kCpu, 1);
  BufferPtr buffer = Buffer::Allocate(here, 10);
  void* data = buffer->data();
  BufferPtr alias = Buffer::Alias(there, buffer);
  EXPECT_EQ(alias->data(), data);
  EXPECT_EQ(&alias->device(), &there);
  EXPECT_FALSE(alias->unique());
  EXPECT_FALSE(buffer->unique());
  buffer = BufferPtr();
  EXPECT_TRUE(alias->unique());
  EXPECT_GT(BytesInUse(here), 0);
  alias = BufferPtr();
  EXPECT_EQ(BytesInUse(here), 0);
}

TEST(BufferTest, TooLargeIsResourceExhausted) {
  Device device(DeviceKind::kCpu, 0);
  try {
    Buffer::Allocate(device, SIZE_MAX / 2);
    FAIL() << "got half of all memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
  }
}

// Free throws nothing and loses no block.
TEST(MemoryPoolTest, FreesBlocksWhenOutOfMemory) {
  SmallMemory memory(512);
  MemoryPool pool(memory);
  void* block = pool.Allocate(512);
  {
    const AllocationLimit none(/*more=*/0);
    pool.Free(block, 512);
  }
  EXPECT_EQ(pool.statistics().bytes_in_use, 0);
  EXPECT_EQ(pool.statistics().bytes_cached + memory.left(), 512);
  pool.Free(pool.Allocate(512), 512);
}

}  // namespace
}  // namespace lockstep
