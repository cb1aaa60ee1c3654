#include "reference/device/buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

int64_t BytesInUse(Device& device) {
  return device.pool().statistics().bytes_in_use;
}

TEST(BufferTest, ComesFromItsDevicesPoolAndGoesBack) {
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

TEST(BufferTest, OnAGpuTheHostKeepsTheHeader) {
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

TEST(BufferTest, AGpuWithoutMemoryLosesNothing) {
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

TEST(BufferTest, TheLastOwnerFreesIt) {
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

TEST(BufferTest, AssigningAPointerToItselfKeepsIt) {
  Device device(DeviceKind::kCpu, 0);
  BufferPtr buffer = Buffer::Allocate(device, 10);
  const BufferPtr& same = buffer;
  buffer = same;
  EXPECT_TRUE(buffer);
  EXPECT_TRUE(buffer->unique());
}

TEST(BufferTest, BorrowedMemoryIsGivenBackOnce) {
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

TEST(BufferTest, ThreadsShareIt) {
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

TEST(BufferTest, AnAliasIsTheSameMemoryOnAnotherDevice) {
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

TEST(BufferTest, TooLargeIsATypedError) {
  Device device(DeviceKind::kCpu, 0);
  try {
    Buffer::Allocate(device, SIZE_MAX / 2);
    FAIL() << "got half of all memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
  }
}

}  // namespace
}  // namespace lockstep
