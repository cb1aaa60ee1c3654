#include "reference/checkpoint/checkpoint_manager.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "reference/base/failing_system_calls.h"
#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/checkpoint/checkpoint_testing.h"

namespace lockstep {
namespace {

using namespace checkpoint_internal;  // NOLINT: a test of this folder

TEST(CheckpointStateTest, ReadsTheStateOfTensorFlowsManager) {
  const std::string folder = TensorFlowFile("manager");
  const CheckpointState state = *ReadCheckpointState(folder);
  EXPECT_EQ(state.model_checkpoint_path, folder + "/ckpt-3");
  EXPECT_EQ(state.all_model_checkpoint_paths,
            (std::vector<std::string>{folder + "/ckpt-2", folder + "/ckpt-3"}));
  EXPECT_EQ(state.all_model_checkpoint_timestamps.size(), 2u);
  EXPECT_GT(state.last_preserved_timestamp, 1.7e9);
  EXPECT_EQ(LatestCheckpoint(folder), folder + "/ckpt-3");
}

TEST(CheckpointStateTest, WritesBackWhatItRead) {
  const TestFolder folder;
  const std::string text = ReadWholeFile(TensorFlowFile("manager/checkpoint"));
  WriteWholeFile(folder / "checkpoint", text);
  WriteCheckpointState(folder.path(), *ReadCheckpointState(folder.path()));
  EXPECT_EQ(ReadWholeFile(folder / "checkpoint"), text);
}

TEST(CheckpointStateTest, PathsInTheFileAreRelative) {
  const TestFolder folder;
  CheckpointState state;
  state.model_checkpoint_path = folder / "a/../b-2";
  state.all_model_checkpoint_paths = {folder / "sub/a \"quoted\"-1",
                                      folder / "b-2"};
  WriteCheckpointState(folder.path() + "/", state);
  EXPECT_EQ(ReadWholeFile(folder / "checkpoint"),
            "model_checkpoint_path: \"b-2\"\n"
            "all_model_checkpoint_paths: \"sub/a \\\"quoted\\\"-1\"\n"
            "all_model_checkpoint_paths: \"b-2\"\n");
  const CheckpointState read = *ReadCheckpointState(folder.path());
  EXPECT_EQ(read.model_checkpoint_path, folder / "b-2");
  EXPECT_EQ(read.all_model_checkpoint_paths, state.all_model_checkpoint_paths);
}

TEST(CheckpointStateTest, KeepsAbsolutePaths) {
  const TestFolder folder;
  WriteWholeFile(folder / "checkpoint",
                 "model_checkpoint_path: \"/nonexistent/ckpt-1\"\n");
  EXPECT_EQ(ReadCheckpointState(folder.path())->model_checkpoint_path,
            "/nonexistent/ckpt-1");
}

TEST(CheckpointStateTest, RelativeFoldersWork) {
  const TestFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  CheckpointState state;
  state.model_checkpoint_path = "ckpt-1";
  WriteCheckpointState(".", state);
  const std::string text = ReadWholeFile("checkpoint");
  const auto read = ReadCheckpointState(".");
  std::filesystem::current_path(before);
  EXPECT_EQ(text, "model_checkpoint_path: \"ckpt-1\"\n");
  EXPECT_EQ(read->model_checkpoint_path, "./ckpt-1");
}

TEST(CheckpointStateTest, NoStateFileNoLatest) {
  const TestFolder folder;
  EXPECT_EQ(LatestCheckpoint(folder.path()), std::nullopt);
  EXPECT_EQ(LatestCheckpoint(folder / "nowhere"), std::nullopt);
}

TEST(CheckpointStateTest, WarnsIfTheLatestIsMissing) {
  const TestFolder folder;
  WriteWholeFile(folder / "checkpoint", "model_checkpoint_path: \"ckpt-9\"\n");
  LogCapture log;
  EXPECT_EQ(LatestCheckpoint(folder.path()), std::nullopt);
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("ckpt-9"), std::string::npos);
}

TEST(CheckpointStateTest, DamagedFileIsDataLoss) {
  const TestFolder folder;
  WriteWholeFile(folder / "checkpoint",
                 "model_checkpoint_path: \"ckpt-1\"\nall_mod");
  ExpectError([&] { LatestCheckpoint(folder.path()); }, Code::kDataLoss,
              "line 2");
}

TEST(CheckpointStateTest, RefusesItsOwnName) {
  const TestFolder folder;
  CheckpointState state;
  state.model_checkpoint_path = folder / "checkpoint";
  ExpectError([&] { WriteCheckpointState(folder.path(), state); },
              Code::kInvalidArgument, "collides with the state file");
}

}  // namespace

// Expected files are from TensorFlow's checkpoint_management_test and from runs
// of TensorFlow 2.21.

namespace {

class CheckpointManagerTest : public testing::Test {
 protected:
  // A manager whose clock shows now_.
  CheckpointManager Manager(CheckpointManagerOptions options = {}) {
    options.clock = [this] { return now_; };
    return CheckpointManager(checkpoint_, folder_.path(), options);
  }
  std::vector<std::string> Paths(const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(folder_ / name);
    return paths;
  }
  std::vector<std::string> Listed() {
    return ReadCheckpointState(folder_.path())->all_model_checkpoint_paths;
  }
  bool Exists(const std::string& name) {
    return std::filesystem::exists(folder_ / (name + ".index"));
  }

  TestFolder folder_;
  VariablePtr v_ = MakeTestVariable(Tensor::Scalar(1.0f));
  Checkpoint checkpoint_{{{"v", v_.get()}}};
  double now_ = 1e9;
};

TEST_F(CheckpointManagerTest, KeepsTheNewest) {
  CheckpointManager manager = Manager({.max_to_keep = 2});
  EXPECT_EQ(manager.latest_checkpoint(), std::nullopt);
  for (int i = 1; i <= 4; ++i) {
    now_ += 1;
    EXPECT_EQ(manager.Save(), folder_ / ("ckpt-" + std::to_string(i)));
  }
  EXPECT_EQ(folder_.names(),
            (std::vector<std::string>{
                "checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index",
                "ckpt-4.data-00000-of-00001", "ckpt-4.index"}));
  EXPECT_EQ(manager.checkpoints(), Paths({"ckpt-3", "ckpt-4"}));
  EXPECT_EQ(Listed(), Paths({"ckpt-3", "ckpt-4"}));
  EXPECT_EQ(manager.latest_checkpoint(), folder_ / "ckpt-4");
  EXPECT_EQ(LatestCheckpoint(folder_.path()), folder_ / "ckpt-4");
}

TEST_F(CheckpointManagerTest, KeepsAllWithoutALimit) {
  CheckpointManager manager = Manager();
  for (int i = 0; i < 3; ++i) manager.Save();
  EXPECT_EQ(manager.checkpoints(), Paths({"ckpt-1", "ckpt-2", "ckpt-3"}));
}

TEST_F(CheckpointManagerTest, RefusesALimitBelowOne) {
  for (const int limit : {0, -1}) {
    ExpectError([&] { Manager({.max_to_keep = limit}); },
                Code::kInvalidArgument, fmt::format("got {}", limit));
  }
}

TEST_F(CheckpointManagerTest, NewManagerAdoptsOldCheckpoints) {
  {
    CheckpointManager manager = Manager();
    for (int i = 0; i < 3; ++i) {
      now_ += 1;
      manager.Save();
    }
  }
  CheckpointManager manager = Manager({.max_to_keep = 2});
  EXPECT_EQ(manager.checkpoints(), Paths({"ckpt-1", "ckpt-2", "ckpt-3"}));
  EXPECT_TRUE(Exists("ckpt-1"));
  now_ += 1;
  manager.Save();
  EXPECT_EQ(manager.checkpoints(), Paths({"ckpt-3", "ckpt-4"}));
  EXPECT_FALSE(Exists("ckpt-1"));
  EXPECT_FALSE(Exists("ckpt-2"));
}

TEST_F(CheckpointManagerTest, SavesWhenTheIntervalIsOver) {
  const VariablePtr step = MakeTestVariable(Tensor::Scalar<int64_t>(0));
  CheckpointManager manager =
      Manager({.step_counter = step.get(), .checkpoint_interval = 3});
  std::vector<int64_t> saved;
  for (int64_t i = 0; i < 8; ++i) {
    step->Assign(Tensor::Scalar(i));
    if (manager.Save()) saved.push_back(i);
  }
  EXPECT_EQ(saved, (std::vector<int64_t>{0, 3, 6}));
  EXPECT_TRUE(manager.Save({.check_interval = false}));   // step 7
  EXPECT_FALSE(manager.Save({.check_interval = false}));  // step 7 again
}

TEST_F(CheckpointManagerTest, IntervalNeedsAStepCounter) {
  ExpectError([&] { Manager({.checkpoint_interval = 3}); },
              Code::kInvalidArgument, "needs a step_counter");
}

TEST_F(CheckpointManagerTest, KeepsGivenNumbersInOrderOfSaves) {
  CheckpointManager manager = Manager({.max_to_keep = 2});
  for (const int64_t number : {10, 5, 32}) {
    now_ += 1;
    manager.Save({.checkpoint_number = number});
  }
  EXPECT_EQ(manager.checkpoints(), Paths({"ckpt-5", "ckpt-32"}));
  EXPECT_FALSE(Exists("ckpt-10"));
  EXPECT_EQ(manager.latest_checkpoint(), folder_ / "ckpt-32");
  EXPECT_EQ(checkpoint_.save_counter().Read().item<int64_t>(), 3);
}

TEST_F(CheckpointManagerTest, PreservesOneEveryFewHours) {
  CheckpointManager manager =
      Manager({.max_to_keep = 1, .keep_checkpoint_every_n_hours = 2});
  const double start = now_;
  for (const double hours : {0.5, 2.5, 3.0, 5.0, 5.5}) {
    now_ = start + hours * 3600;
    manager.Save();
  }
  // 2.5 h came more than 2 h after the start, 5.0 h more than 2 h after that.
  EXPECT_FALSE(Exists("ckpt-1"));
  EXPECT_TRUE(Exists("ckpt-2"));
  EXPECT_FALSE(Exists("ckpt-3"));
  EXPECT_TRUE(Exists("ckpt-4"));
  EXPECT_EQ(manager.checkpoints(), Paths({"ckpt-5"}));

  // A later manager does not delete preserved ones, whatever its limits.
  now_ += 3600;
  CheckpointManager next = Manager({.max_to_keep = 1});
  EXPECT_EQ(next.checkpoints(), Paths({"ckpt-5"}));
  next.Save();
  EXPECT_TRUE(Exists("ckpt-2"));
  EXPECT_TRUE(Exists("ckpt-4"));
}

TEST_F(CheckpointManagerTest, ClockSetBackDeletesNothing) {
  {
    CheckpointManager manager =
        Manager({.max_to_keep = 1, .keep_checkpoint_every_n_hours = 1});
    now_ += 7200;
    manager.Save();
    now_ += 1;
    manager.Save();  // preserves ckpt-1
  }
  now_ -= 100000;
  LogCapture log;
  CheckpointManager manager = Manager({.max_to_keep = 1});
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("the clock is"), std::string::npos);
  now_ += 1;
  manager.Save();
  EXPECT_TRUE(Exists("ckpt-1"));
  EXPECT_TRUE(Exists("ckpt-2"));
  EXPECT_TRUE(Exists("ckpt-3"));
}

TEST_F(CheckpointManagerTest, RestoresTheNewestOrInitializes) {
  int initialized = 0;
  CheckpointManagerOptions options;
  options.init_fn = [&] { ++initialized; };
  CheckpointManager manager = Manager(options);
  EXPECT_EQ(manager.RestoreOrInitialize(), std::nullopt);
  EXPECT_EQ(initialized, 1);
  manager.Save();
  v_->Assign(Tensor::Scalar(9.0f));
  EXPECT_EQ(Manager(options).RestoreOrInitialize(), folder_ / "ckpt-1");
  EXPECT_EQ(initialized, 1);
  EXPECT_EQ(v_->Read().item<float>(), 1);
}

TEST_F(CheckpointManagerTest, FailedStateFileRecordsNothing) {
  CheckpointManager manager = Manager();
  std::filesystem::create_directories(folder_ / "checkpoint/in_the_way");
  ExpectError([&] { manager.Save(); }, Code::kUnavailable, "checkpoint");
  EXPECT_EQ(manager.latest_checkpoint(), std::nullopt);
  EXPECT_TRUE(manager.checkpoints().empty());
  std::filesystem::remove_all(folder_ / "checkpoint");
  EXPECT_EQ(manager.Save(), folder_ / "ckpt-1");
  EXPECT_EQ(manager.checkpoints(), Paths({"ckpt-1"}));
}

TEST_F(CheckpointManagerTest, FailedSaveDeletesNothing) {
  CheckpointManager manager = Manager({.max_to_keep = 1});
  manager.Save();
  for (int which = 1;; ++which) {
    const FailingSystemCalls faults(which, ENOSPC);
    try {
      manager.Save();
      ASSERT_FALSE(faults.happened());
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted) << error.what();
    }
    const std::string latest = *manager.latest_checkpoint();
    EXPECT_EQ(LatestCheckpoint(folder_.path()).has_value(), true);
    checkpoint_.Read(latest).AssertExistingObjectsMatched();
  }
  EXPECT_FALSE(Exists("ckpt-1"));
}

}  // namespace

// If a save fails, at any point, the old checkpoint, the state file and the count
// are unchanged, and no temporary file is left.

namespace {

// Limits the size of files that this process may write, in its scope.
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

// Saves v = (1, 1) as ckpt-1, then sets it to (2, 2).
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

  // The values in a checkpoint, which must be complete.
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
    // The state file only ever names a complete checkpoint.
    const std::string latest = *LatestCheckpoint(folder_.path());
    EXPECT_EQ(Stored(latest), latest == old_path_ ? old_values_ : new_values_);
  }
  // Three files, each with open, write, two or three fsyncs and a rename.
  EXPECT_GT(which, 12);
  ExpectNoTemporaryFiles();
  EXPECT_EQ(Stored(*LatestCheckpoint(folder_.path())), new_values_);
}

TEST_F(FailedSaveTest, OverwriteAtEverySystemCall) {
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

TEST_F(FailedSaveTest, OverwriteKilledAtEverySystemCall) {
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

TEST_F(FailedSaveTest, FolderInPlaceOfAFile) {
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

TEST_F(FailedSaveTest, FileInPlaceOfAFolder) {
  ExpectError([&] { checkpoint_.Save(folder_ / "checkpoint/deeper/ckpt"); },
              Code::kUnavailable, "checkpoint/deeper");
  EXPECT_EQ(checkpoint_.save_counter().Read().item<int64_t>(), 1);
}

}  // namespace
}  // namespace lockstep
