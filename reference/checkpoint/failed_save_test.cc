// A save that fails at any point: the old checkpoint, the state file and the
// count stay, and no temporary file is left.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>

#include "reference/base/failing_system_calls.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/checkpoint/checkpoint_testing.h"

namespace lockstep {
namespace {

using namespace checkpoint_internal;  // NOLINT: a test of this folder

// The largest file this process may write, while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);  // write fails instead
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit = {bytes, old_limit_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_;
  void (*old_handler_)(int);
};

// v = (1, 1) saved as ckpt-1, then set to (2, 2).
class FailedSaveTest : public testing::Test {
 protected:
  FailedSaveTest() {
    old_path_ = checkpoint_.Save(folder_ / "ckpt");
    v_->Assign(Tensor::FromVector<float>({2, 2}));
  }

  void ExpectNoTemporaryFiles() {
    for (const std::string& name : folder_.names()) {
      EXPECT_EQ(name.find(".tmp-"), std::string::npos) << name;
    }
  }

  // The values in a checkpoint, which must be whole.
  std::vector<float> Stored(const std::string& path) {
    const VariablePtr v = MakeTestVariable(Tensor::Zeros(Shape{2}));
    Checkpoint({{"v", v.get()}}).Restore(path).AssertConsumed();
    return v->Read().ToVector<float>();
  }

  TestFolder folder_;
  VariablePtr v_ = MakeTestVariable(Tensor::FromVector<float>({1, 1}));
  Checkpoint checkpoint_{{{"v", v_.get()}}};
  std::string old_path_;
  const std::vector<float> old_values_ = {1, 1};
  const std::vector<float> new_values_ = {2, 2};
};

TEST_F(FailedSaveTest, AtEverySystemCall) {
  int which = 1;
  for (;; ++which) {
    const FailingSystemCalls faults(which, ENOSPC);
    try {
      EXPECT_EQ(checkpoint_.Save(folder_ / "ckpt"), folder_ / "ckpt-2");
      ASSERT_FALSE(faults.happened());
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted) << error.what();
      EXPECT_NE(std::string(error.what()).find(folder_.path()),
                std::string::npos);
    }
    ExpectNoTemporaryFiles();
    EXPECT_EQ(Stored(old_path_), old_values_) << which;
    EXPECT_EQ(checkpoint_.save_counter().Read().item<int64_t>(), 1);
    // The folder's fsync is last: what the state file names is whole by then.
    const std::string latest = *LatestCheckpoint(folder_.path());
    EXPECT_EQ(Stored(latest), latest == old_path_ ? old_values_ : new_values_);
  }
  // Three files, each with open, write, two or three fsyncs and a rename.
  EXPECT_GT(which, 12);
  ExpectNoTemporaryFiles();
  EXPECT_EQ(Stored(*LatestCheckpoint(folder_.path())), new_values_);
}

TEST_F(FailedSaveTest, OverAnExistingCheckpointAtEverySystemCall) {
  const std::string path = folder_ / "model";
  v_->Assign(Tensor::FromVector<float>({1, 1}));
  checkpoint_.Write(path);
  v_->Assign(Tensor::FromVector<float>({2, 2}));
  for (int which = 1;; ++which) {
    const FailingSystemCalls faults(which, EROFS);
    try {
      checkpoint_.Write(path);
      ASSERT_FALSE(faults.happened());
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kUnavailable) << error.what();
    }
    ExpectNoTemporaryFiles();
    const std::vector<float> stored = Stored(path);
    EXPECT_TRUE(stored == old_values_ || stored == new_values_) << which;
  }
  ExpectNoTemporaryFiles();
  EXPECT_EQ(Stored(path), new_values_);
}

// Runs `write` in a process that is killed at its `which`-th system call; false
// when it came to its end before.
bool KilledAt(int which, const std::function<void()>& write) {
  const pid_t child = fork();
  if (child == 0) {
    const FailingSystemCalls faults(which, kKillProcess);
    write();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

TEST_F(FailedSaveTest, OverAnExistingCheckpointKilledAtEverySystemCall) {
  const std::string path = folder_ / "model";
  bool new_seen = false;
  for (int which = 1;; ++which) {
    v_->Assign(Tensor::FromVector<float>({1, 1}));
    checkpoint_.Write(path);
    v_->Assign(Tensor::FromVector<float>({2, 2}));
    const bool killed = KilledAt(which, [&] { checkpoint_.Write(path); });
    const std::vector<float> stored = Stored(path);
    EXPECT_TRUE(stored == old_values_ || stored == new_values_) << which;
    EXPECT_TRUE(!new_seen || stored == new_values_) << which;
    new_seen = stored == new_values_;
    if (!killed) break;
  }
  EXPECT_TRUE(new_seen);
}

TEST_F(FailedSaveTest, AtEveryFullDisk) {
  const auto size = static_cast<rlim_t>(
      std::max(std::filesystem::file_size(old_path_ + ".data-00000-of-00001"),
               std::filesystem::file_size(old_path_ + ".index")));
  for (rlim_t limit = 0; limit < size; ++limit) {
    {
      const FileSizeLimit full(limit);
      ExpectError([&] { checkpoint_.Save(folder_ / "ckpt"); },
                  Code::kResourceExhausted, "ckpt-2");
    }
    ExpectNoTemporaryFiles();
    EXPECT_EQ(folder_.names().size(), 3u);
    EXPECT_EQ(LatestCheckpoint(folder_.path()), old_path_);
  }
  EXPECT_EQ(Stored(old_path_), old_values_);
  const FileSizeLimit enough(size);
  EXPECT_EQ(Stored(checkpoint_.Save(folder_ / "ckpt")), new_values_);
}

TEST_F(FailedSaveTest, WhereAFolderIsInTheWay) {
  for (const char* name : {"ckpt-2.data-00000-of-00001", "ckpt-2.index"}) {
    std::filesystem::create_directories(folder_ / name + "/in_the_way");
    ExpectError([&] { checkpoint_.Save(folder_ / "ckpt"); }, Code::kUnavailable,
                "ckpt-2");
    ExpectNoTemporaryFiles();
    EXPECT_EQ(LatestCheckpoint(folder_.path()), old_path_);
    EXPECT_TRUE(std::filesystem::exists(folder_ / name + "/in_the_way"));
    std::filesystem::remove_all(folder_ / name);
    EXPECT_EQ(folder_.names().size(), 3u);
  }
}

TEST_F(FailedSaveTest, WhereTheFolderCannotBe) {
  ExpectError([&] { checkpoint_.Save(folder_ / "checkpoint/deeper/ckpt"); },
              Code::kUnavailable, "checkpoint/deeper");
  EXPECT_EQ(checkpoint_.save_counter().Read().item<int64_t>(), 1);
}

}  // namespace
}  // namespace lockstep
