#include "reference/device/private_memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

class PrivateMemoryTest : public testing::Test {
 protected:
  int64_t BytesInUse() {
    return gpu_.device().pool().statistics().bytes_in_use;
  }
  BufferPtr Allocate(size_t bytes = 1024) {
    return Buffer::Allocate(gpu_.device(), bytes);
  }

  FakeGpu gpu_{0, 64 << 10};
  std::shared_ptr<PrivateMemory> memory_ =
      std::make_shared<PrivateMemory>(std::vector<Device*>{&gpu_.device()});
};

TEST_F(PrivateMemoryTest, WhatAScopeFreedIsOnlyForScopes) {
  void* inside = nullptr;
  {
    PrivateMemory::Scope scope(*memory_);
    inside = Allocate()->data();
  }
  const BufferPtr outside = Allocate();
  EXPECT_NE(outside->data(), inside);
  PrivateMemory::Scope again(*memory_);
  EXPECT_EQ(Allocate()->data(), inside);
}

TEST_F(PrivateMemoryTest, OtherThreadsHaveNothingOfIt) {
  PrivateMemory::Scope scope(*memory_);
  void* inside = Allocate()->data();
  void* elsewhere = nullptr;
  std::thread([&] { elsewhere = Allocate()->data(); }).join();
  EXPECT_NE(elsewhere, inside);
}

TEST_F(PrivateMemoryTest, OtherDevicesAreNotAffected) {
  FakeGpu other(1);
  PrivateMemory::Scope scope(*memory_);
  void* block = Buffer::Allocate(other.device(), 1024)->data();
  EXPECT_EQ(other.device().pool().Allocate(1024), block);
}

TEST_F(PrivateMemoryTest, UsesWhatThePoolHasKept) {
  void* kept = Allocate()->data();
  PrivateMemory::Scope scope(*memory_);
  EXPECT_EQ(Allocate()->data(), kept);
}

TEST_F(PrivateMemoryTest, ABlockOfThePoolFreedInAScopeIsKept) {
  BufferPtr before = Allocate();
  void* block = before->data();
  {
    PrivateMemory::Scope scope(*memory_);
    before = BufferPtr();
    EXPECT_NE(Allocate()->data(), block);
  }
  EXPECT_NE(Allocate()->data(), block);
  memory_.reset();
  EXPECT_EQ(BytesInUse(), 0);
}

TEST_F(PrivateMemoryTest, GivesEverythingBackWithItsLastHolder) {
  BufferPtr result;
  {
    PrivateMemory::Scope scope(*memory_);
    result = Allocate();
    Allocate(4096);
  }
  memory_.reset();
  EXPECT_EQ(BytesInUse(), 1024 + 4096);
  result = BufferPtr();
  EXPECT_EQ(BytesInUse(), 0);
}

TEST_F(PrivateMemoryTest, ALackOfMemoryLosesNothing) {
  try {
    PrivateMemory::Scope scope(*memory_);
    Allocate(1 << 20);
    FAIL() << "got more than there is";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
  }
  EXPECT_EQ(BytesInUse(), 0);
  EXPECT_EQ(PrivateMemory::Current(), nullptr);
}

TEST_F(PrivateMemoryTest, ScopesNest) {
  auto inner =
      std::make_shared<PrivateMemory>(std::vector<Device*>{&gpu_.device()});
  PrivateMemory::Scope scope(*memory_);
  {
    PrivateMemory::Scope nested(*inner);
    EXPECT_EQ(PrivateMemory::Current(), inner.get());
  }
  EXPECT_EQ(PrivateMemory::Current(), memory_.get());
}

}  // namespace
}  // namespace lockstep
