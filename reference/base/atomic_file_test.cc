#include "reference/base/atomic_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string Path(const std::string& name) const { return folder_ / name; }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  static std::string Content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static Code CodeOf(const std::string& path) {
    try {
      AtomicFile file(path);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
      return error.code();
    }
    ADD_FAILURE() << path << " was made";
    return Code::kInternal;
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, AppearsWholeWithCommit) {
  const std::string path = Path("data");
  AtomicFile file(path);
  file.Append("one ");
  file.Append(std::string("t\0wo", 4));
  EXPECT_EQ(file.bytes_written(), 8);
  EXPECT_FALSE(fs::exists(path));
  file.Commit();
  EXPECT_EQ(Content(path), std::string("one t\0wo", 8));
  EXPECT_EQ(Names(), std::vector<std::string>{"data"});
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStaysAndNothingIsLeftBehind) {
  const std::string path = Path("data");
  std::ofstream(path) << "old";
  {
    AtomicFile file(path);
    file.Append("new");
  }
  EXPECT_EQ(Content(path), "old");
  EXPECT_EQ(Names(), std::vector<std::string>{"data"});
}

TEST_F(AtomicFileTest, CommitReplacesTheOldFile) {
  const std::string path = Path("data");
  std::ofstream(path) << "a longer old content";
  AtomicFile file(path);
  file.Append("new");
  file.Commit();
  EXPECT_EQ(Content(path), "new");
}

TEST_F(AtomicFileTest, CommitsOnce) {
  AtomicFile file(Path("data"));
  file.Commit();
  EXPECT_EQ(Content(Path("data")), "");
  EXPECT_THROW(file.Commit(), Error);
}

TEST_F(AtomicFileTest, TwoWritersOfOneNameDoNotMix) {
  const std::string path = Path("data");
  AtomicFile first(path), second(path);
  first.Append("first");
  second.Append("second");
  first.Commit();
  EXPECT_EQ(Content(path), "first");
  second.Commit();
  EXPECT_EQ(Content(path), "second");
}

TEST_F(AtomicFileTest, ErrorsNameThePath) {
  EXPECT_EQ(CodeOf(Path("no/such/folder")), Code::kNotFound);
  std::ofstream(Path("file")) << "x";
  EXPECT_EQ(CodeOf(Path("file/below_a_file")), Code::kUnavailable);
}

TEST_F(AtomicFileTest, AFolderIsNotReplaced) {
  fs::create_directories(Path("folder"));
  AtomicFile file(Path("folder"));
  try {
    file.Commit();
    FAIL() << "replaced a folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnavailable);
  }
}

}  // namespace
}  // namespace lockstep
