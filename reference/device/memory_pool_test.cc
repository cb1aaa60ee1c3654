#include "reference/device/memory_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

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

TEST(MemoryPoolTest, AFreedBlockIsUsedAgain) {
  MemoryPool pool;
  void* first = pool.Allocate(1000);
  pool.Free(first, 1000);
  EXPECT_EQ(pool.Allocate(1010), first);
  EXPECT_EQ(pool.statistics().system_allocations, 1);
  pool.Free(first, 1010);
}

TEST(MemoryPoolTest, BlocksInUseAreNotHandedOutAgain) {
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

TEST(MemoryPoolTest, CountsWhatItHolds) {
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

TEST(MemoryPoolTest, SaysHowMuchItCouldNotGet) {
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

TEST(MemoryPoolTest, BlocksMayBeFreedOnAnotherThread) {
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

}  // namespace
}  // namespace lockstep
