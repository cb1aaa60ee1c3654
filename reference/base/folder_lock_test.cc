#include "reference/base/folder_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

TEST(FolderLockTest, OneAtATime) {
  const TestFolder folder;
  std::atomic<int> inside = 0;
  std::atomic<bool> overlapped = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const FolderLock lock(folder.path());
        if (++inside != 1) overlapped = true;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(overlapped);
}

TEST(FolderLockTest, LeavesNothingBehind) {
  const TestFolder folder;
  { const FolderLock lock(folder.path()); }
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

TEST(FolderLockTest, FoldersAreIndependent) {
  const TestFolder a;
  const TestFolder b;
  const FolderLock lock(a.path());
  const FolderLock other(b.path());
}

TEST(FolderLockTest, SaysWhichFolderIsMissing) {
  const TestFolder folder;
  ExpectError([&] { FolderLock lock(folder / "x"); }, Code::kNotFound,
              folder / "x");
}

}  // namespace
}  // namespace lockstep
