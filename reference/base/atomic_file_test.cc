#include "reference/base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/base/files/folder.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

void WriteAtomically(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.Append(bytes);
  file.Commit();
}

void Open(const std::string& path) { AtomicFile file(path); }

class AtomicFileTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  const TestFolder folder_;
};

TEST_F(AtomicFileTest, AppearsOnCommit) {
  const std::string path = Path("data");
  AtomicFile file(path);
  file.Append("one ");
  file.Append(std::string("t\0wo", 4));
  EXPECT_EQ(file.bytes_written(), 8);
  EXPECT_FALSE(fs::exists(path));
  file.Commit();
  EXPECT_EQ(ReadWholeFile(path), std::string("one t\0wo", 8));
  EXPECT_EQ(folder_.names(), Names{"data"});
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  WriteWholeFile(Path("data"), "old");
  {
    AtomicFile file(Path("data"));
    file.Append("new");
  }
  EXPECT_EQ(ReadWholeFile(Path("data")), "old");
  EXPECT_EQ(folder_.names(), Names{"data"});
}

TEST_F(AtomicFileTest, CommitReplacesTheOldFile) {
  WriteWholeFile(Path("data"), "a longer old content");
  WriteAtomically(Path("data"), "new");
  EXPECT_EQ(ReadWholeFile(Path("data")), "new");
  EXPECT_EQ(folder_.names(), Names{"data"});
}

TEST_F(AtomicFileTest, CommitsOnce) {
  AtomicFile file(Path("data"));
  file.Commit();
  EXPECT_EQ(ReadWholeFile(Path("data")), "");
  EXPECT_THROW(file.Commit(), Error);
}

TEST_F(AtomicFileTest, TwoWritersOfOneNameDoNotMix) {
  AtomicFile first(Path("data")), second(Path("data"));
  first.Append("first");
  second.Append("second");
  first.Commit();
  EXPECT_EQ(ReadWholeFile(Path("data")), "first");
  second.Commit();
  EXPECT_EQ(ReadWholeFile(Path("data")), "second");
}

TEST_F(AtomicFileTest, OneOfTwoMakesANewFile) {
  AtomicFile first(Path("data")), second(Path("data"));
  first.Append("first");
  second.Append("second");
  EXPECT_TRUE(first.CommitNew());
  EXPECT_FALSE(second.CommitNew());
  EXPECT_FALSE(second.visible());
  EXPECT_EQ(ReadWholeFile(Path("data")), "first");
  EXPECT_EQ(folder_.names(), Names{"data"});
}

TEST_F(AtomicFileTest, KilledWriterLeavesNothing) {
  const int nameless = open(folder_.path().c_str(), O_WRONLY | O_TMPFILE, 0666);
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(Path("data"));
    file.Append("new");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  // Only a file system without nameless files shows the temporary file.
  EXPECT_EQ(folder_.names().size(), nameless < 0 ? 1u : 0u);
  if (nameless >= 0) close(nameless);
}

TEST_F(AtomicFileTest, FollowsLinks) {
  WriteWholeFile(Path("data"), "old");
  fs::create_directory(Path("below"));
  fs::create_symlink("../data", Path("below/link"));
  fs::create_symlink("below/link", Path("link_of_link"));
  fs::create_symlink("not_yet", Path("dangling"));
  WriteAtomically(Path("link_of_link"), "new");
  WriteAtomically(Path("dangling"), "made");
  EXPECT_EQ(ReadWholeFile(Path("data")), "new");
  EXPECT_EQ(ReadWholeFile(Path("not_yet")), "made");
  for (const char* link : {"below/link", "link_of_link", "dangling"}) {
    EXPECT_TRUE(fs::is_symlink(Path(link))) << link;
  }
  EXPECT_EQ(folder_.names(),
            (Names{"below", "dangling", "data", "link_of_link", "not_yet"}));
}

TEST_F(AtomicFileTest, WritesThroughToANamedPipe) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0666), 0);
  AtomicFile file(path);
  EXPECT_TRUE(file.written_through());
  file.Append("through ");
  file.Append("the pipe");
  EXPECT_EQ(file.bytes_written(), 16);
  auto read = std::async([&] { return ReadWholeFile(path); });
  file.Commit();
  EXPECT_EQ(read.get(), "through the pipe");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(folder_.names(), Names{"pipe"});
}

TEST_F(AtomicFileTest, WritesThroughToADevice) {
  fs::create_symlink("/dev/null", Path("link"));
  for (const std::string& path : {std::string("/dev/null"), Path("link")}) {
    WriteAtomically(path, "gone");
    EXPECT_TRUE(AtomicFile(path).CommitNew());
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
  }
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(CodeOf([&] { WriteAtomically("/dev/full", "x"); }),
            Code::kResourceExhausted);
}

TEST_F(AtomicFileTest, ContinuesAnOpenFile) {
  const int descriptor =
      open(Path("data").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(write(descriptor, "before ", 7), 7);
  WriteAtomically("/dev/fd/" + std::to_string(descriptor), "with it ");
  ASSERT_EQ(write(descriptor, "after", 5), 5);
  close(descriptor);
  EXPECT_EQ(ReadWholeFile(Path("data")), "before with it after");
}

TEST_F(AtomicFileTest, PipeWithoutAReaderIsAnError) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  AtomicFile file("/dev/fd/" + std::to_string(ends[1]));
  EXPECT_EQ(CodeOf([&] { Open("/dev/fd/" + std::to_string(ends[0])); }),
            Code::kUnavailable);  // it can only be read
  close(ends[0]);
  file.Append("x");
  EXPECT_EQ(CodeOf([&] { file.Commit(); }), Code::kUnavailable);
  close(ends[1]);
}

TEST_F(AtomicFileTest, SizeLimitIsAnError) {
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit limit = {4, old.rlim_max};
  AtomicFile file(Path("data"));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(CodeOf([&] { file.Append("12345"); }), Code::kResourceExhausted);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(file.bytes_written(), 4);
}

TEST_F(AtomicFileTest, ThreadsWriteToReservedBytes) {
  AtomicFile file(Path("data"));
  file.Append("<");
  std::vector<std::thread> threads;
  for (const char letter : {'a', 'b', 'c'}) {
    const int64_t place = file.Reserve(2 << 20);
    threads.emplace_back([&file, place, letter] {
      file.WriteAt(place, std::string(2 << 20, letter));
    });
  }
  file.Append(">");
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(file.bytes_written(), 2 + (6 << 20));
  file.Commit();
  EXPECT_EQ(ReadWholeFile(Path("data")), "<" + std::string(2 << 20, 'a') +
                                             std::string(2 << 20, 'b') +
                                             std::string(2 << 20, 'c') + ">");
}

TEST_F(AtomicFileTest, WritesReservedBytesToAPipeInOrder) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = ReadWholeFile(Path("pipe")); });
  AtomicFile file(Path("pipe"));
  const int64_t place = file.Reserve(2);
  file.Append("cd");
  file.WriteAt(place, "ab");
  file.Commit();
  reader.join();
  EXPECT_EQ(got, "abcd");
}

// Only open, pwrite and linkat remain of the calls for a durable file.
TEST_F(AtomicFileTest, ProcessDurabilityWaitsForNoDisk) {
  const auto commit = [&](const char* name, Durability durability) {
    AtomicFile file(Path(name), durability);
    file.Append("x");
    file.Commit();
  };
  {
    const FailingSystemCalls faults(4, ENOSPC);
    commit("process", Durability::kProcess);
    EXPECT_FALSE(faults.happened());
  }
  EXPECT_EQ(ReadWholeFile(Path("process")), "x");
  const FailingSystemCalls faults(3, ENOSPC);
  ExpectError([&] { commit("machine", Durability::kMachine); },
              Code::kResourceExhausted, "cannot fsync");
}

TEST_F(AtomicFileTest, RefusesUnwritablePathsAtOnce) {
  WriteWholeFile(Path("file"), "x");
  fs::create_directories(Path("folder"));
  fs::create_symlink("circle", Path("circle"));
  EXPECT_EQ(CodeOf([&] { Open(""); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { Open(Path("no/such/folder")); }), Code::kNotFound);
  EXPECT_EQ(CodeOf([&] { Open(Path("file/below_a_file")); }),
            Code::kUnavailable);
  EXPECT_EQ(CodeOf([&] { Open(Path("folder")); }), Code::kUnavailable);
  EXPECT_EQ(CodeOf([&] { Open(Path("circle")); }), Code::kUnavailable);
  EXPECT_EQ(folder_.names(), (Names{"circle", "file", "folder"}));
}

TEST_F(AtomicFileTest, ErrorsNameThePath) {
  try {
    AtomicFile file(Path("no/such/folder"));
    FAIL() << "made a file in a folder that is not there";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(Path("no/such/folder")),
              std::string::npos);
  }
}

TEST_F(AtomicFileTest, DetectsFilesThatReplaceEachOther) {
  WriteWholeFile(Path("data"), "old");
  fs::create_symlink("data", Path("link"));
  const AtomicFile data(Path("data")), link(Path("link")), other(Path("other"));
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  const AtomicFile here("./new"), again("new");
  EXPECT_EQ(CodeOf([&] {
              AtomicFile::CheckDistinct({&here, &again});
            }),
            Code::kInvalidArgument);
  fs::current_path(before);
  const AtomicFile null("/dev/null"), null_too("/dev/null");
  AtomicFile::CheckDistinct(
      {&data, nullptr, &other, nullptr, &null, &null_too});
  EXPECT_EQ(CodeOf([&] {
              AtomicFile::CheckDistinct({&other, &data, &link});
            }),
            Code::kInvalidArgument);
}

TEST(FolderTest, IsTheFolderOfAFile) {
  EXPECT_EQ(FolderOf("train/1/model"), "train/1");
  EXPECT_EQ(FolderOf("train/"), "train");
  EXPECT_EQ(FolderOf("/model"), "/");
  EXPECT_EQ(FolderOf("model"), ".");
}

TEST(FolderTest, IsMadeWithItsParents) {
  const TestFolder folder;
  MakeFolder(folder / "a/b");
  MakeFolder(folder / "a/b");
  EXPECT_TRUE(fs::is_directory(folder / "a/b"));
  WriteWholeFile(folder / "file", "x");
  ExpectError([&] { MakeFolder(folder / "file/below"); }, Code::kUnavailable,
              "file/below");
}

TEST(FolderTest, MissingFolderCannotBeSynced) {
  const TestFolder folder;
  SyncFolder(folder.path());
  ExpectError([&] { SyncFolder(folder / "none"); }, Code::kNotFound, "none");
}

TEST(FolderLockTest, IsExclusive) {
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

TEST(FolderLockTest, NamesTheMissingFolder) {
  const TestFolder folder;
  ExpectError([&] { FolderLock lock(folder / "x"); }, Code::kNotFound,
              folder / "x");
}

}  // namespace
}  // namespace lockstep
