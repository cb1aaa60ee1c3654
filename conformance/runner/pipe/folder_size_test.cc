#include "conformance/runner/pipe/folder_size.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/runner/pipe/child_process.h"
#include "conformance/runner/pipe/folder_removal.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongEnough{60'000};
constexpr int kNothing = 0;
constexpr int64_t kLarge = 1 << 20;  // of a file

class FolderSizeTest : public testing::Test {
 protected:
  FolderSizeTest() {
    const char* place = std::getenv("TEST_TMPDIR");
    path_ = std::string(place) + "/folder-XXXXXX";
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
    opened_ = FileDescriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY));
  }
  ~FolderSizeTest() override { RemoveFolder(path_.c_str(), folder()); }

  int folder() const { return opened_.number(); }

  // Makes a chain of folders with a large file in the last one.
  void MakeChain(int levels) const {
    const std::string name(200, 'x');
    FileDescriptor last(dup(folder()));
    for (int level = 0; level < levels; ++level) {
      ASSERT_EQ(mkdirat(last.number(), name.c_str(), 0700), 0);
      last = FileDescriptor(openat(last.number(), name.c_str(), O_RDONLY));
    }
    const FileDescriptor file(
        openat(last.number(), "file", O_WRONLY | O_CREAT, 0600));
    const std::string text(kLarge, 'x');
    ASSERT_EQ(write(file.number(), text.data(), text.size()), kLarge);
    ASSERT_EQ(fsync(file.number()), 0);  // now it has its blocks
  }

  int64_t CountAll() const {
    FolderSize size(folder());
    size.CountFor(kLongEnough);
    return size.bytes();
  }

  std::string path_;
  FileDescriptor opened_;
};

TEST_F(FolderSizeTest, EmptyFolderHasNoSize) {
  EXPECT_EQ(CountAll(), kNothing);
  EXPECT_EQ(FolderSize().bytes(), kNothing);
}

TEST_F(FolderSizeTest, SmallFileHasMinimumSize) {
  std::ofstream(path_ + "/empty");
  std::ofstream(path_ + "/empty_too");
  EXPECT_EQ(CountAll(), 2 * FolderSize::kMinFileBytes);
}

TEST_F(FolderSizeTest, CountsFoldersBelowPathMax) {
  constexpr int kLevels = 3000;
  static_assert(kLevels * 200 > PATH_MAX);
  MakeChain(kLevels);
  const int64_t least = kLarge + kLevels * FolderSize::kMinFileBytes;
  EXPECT_GE(CountAll(), least);
  EXPECT_LT(CountAll(), 2 * least);
}

TEST_F(FolderSizeTest, CountsFilesNextToChain) {
  MakeChain(2);
  const int64_t chain = CountAll();
  for (const char* name : {"/a", "/b", "/z"}) {
    std::filesystem::create_directory(path_ + name);
    std::ofstream(path_ + name + std::string("/file"));
  }
  EXPECT_EQ(CountAll(), chain + 6 * FolderSize::kMinFileBytes);
}

TEST_F(FolderSizeTest, CountsMovedFolder) {
  std::ofstream(path_ + "/empty");
  std::filesystem::rename(path_, path_ + "-moved");
  EXPECT_EQ(CountAll(), FolderSize::kMinFileBytes);
}

TEST_F(FolderSizeTest, DoesNotFollowLinks) {
  std::filesystem::create_directory_symlink("/usr", path_ + "/link");
  EXPECT_EQ(CountAll(), FolderSize::kMinFileBytes);
}

TEST_F(FolderSizeTest, ContinuesItsCount) {
  constexpr int kFiles = 1000;
  for (int i = 0; i < kFiles; ++i) {
    std::ofstream(path_ + "/" + std::to_string(i));
  }
  FolderSize size(folder());
  size.CountFor(milliseconds{0});
  EXPECT_LT(size.bytes(), kFiles * FolderSize::kMinFileBytes);
  int calls = 1;
  for (int64_t before = -1; size.bytes() != before; ++calls) {
    before = size.bytes();
    size.CountFor(milliseconds{0});
  }
  EXPECT_EQ(size.bytes(), kFiles * FolderSize::kMinFileBytes);
  EXPECT_GT(calls, 10);
}

TEST_F(FolderSizeTest, ForgetsRemovedFiles) {
  std::ofstream(path_ + "/empty");
  FolderSize size(folder());
  size.CountFor(kLongEnough);
  std::filesystem::remove(path_ + "/empty");
  size.CountFor(kLongEnough);
  EXPECT_EQ(size.bytes(), kNothing);
}

}  // namespace
}  // namespace lockstep
