// Fits on a disk that becomes full, and in folders that are removed during training.
// Expects an error that names the file, and that training can be resumed from what
// was saved before.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/limits/limited_process.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/data/dataset.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/callbacks/tensor_board.h"
#include "reference/training/model/model.h"
#include "reference/training/model/model_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr char kNoMounts[] = "[MountDisk] may not mount";

// A disk that is private to this process and ends with it. Errors: Unimplemented if
// this user may not mount one.
void MountDisk(const std::string& folder, const std::string& size) {
  const bool may_mount =
      unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  const std::string options = "size=" + size;
  if (!may_mount ||
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("none", folder.c_str(), "tmpfs", 0, options.c_str()) != 0) {
    throw Unimplemented("{} {}", kNoMounts, folder);
  }
}

// Fills a folder's disk with a file until only a number of pages is free.
void FillDisk(const std::string& folder, int free_pages) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::ofstream(folder + "/filling")
      << std::string(fs::space(folder).available - free_pages * page, 'x');
}

// Eight examples, cached in a file.
Dataset Examples(const std::string& cache) {
  const Tensor x =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8}, Shape{8, 1});
  return Dataset::FromTensorSlices(Structure::Tuple({x, x})).Cache(cache);
}

// Trains on two replicas with all callbacks that write. Returns the weights.
std::vector<float> TrainInto(const std::string& folder, int epochs) {
  SetRandomSeed(3);
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const Sequential model({Input({1}), Dense(1)});
  model.Compile({.optimizer = "adam", .loss = losses::MeanSquaredError()});
  const ModelCheckpointOptions weights{.save_weights_only = true};
  const BackupAndRestoreOptions kept{.save_freq = 1,
                                     .delete_checkpoint = false};
  const std::string cache = folder + "/cache" + std::to_string(epochs);
  model.Fit(
      Examples(cache).Batch(4),
      {.epochs = epochs,
       .callbacks = {MakeCallback<CSVLogger>(folder + "/log.csv"),
                     MakeCallback<TensorBoard>(folder + "/events"),
                     MakeCallback<ModelCheckpoint>(folder + "/model.keras"),
                     MakeCallback<ModelCheckpoint>(folder + "/ckpt_{epoch}",
                                                   weights),
                     MakeCallback<BackupAndRestore>(folder + "/backup", kept)},
       .verbose = Verbose::kSilent});
  return model.variables()[0]->Read().ToVector<float>();
}

void Want(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

constexpr int kEpochsInAll = 3;

// Trains one epoch on a small disk, resumes while it fills up, and resumes again with
// free space. Errors: those of the full disk.
void FillUp(const std::string& disk, int free_pages,
            const std::vector<float>& weights, const std::string& log) {
  MountDisk(disk, "512k");
  TrainInto(disk, 1);
  FillDisk(disk, free_pages);
  std::optional<Error> refused;
  try {
    TrainInto(disk, kEpochsInAll);
  } catch (const Error& error) {
    refused = error;
  }
  fs::remove(disk + "/filling");
  LoadModel(disk + "/model.keras");
  Want(LatestCheckpoint(disk).has_value(), "the weights are lost");
  Want(LatestCheckpoint(disk + "/backup").has_value(), "the backup is lost");
  Want(TrainInto(disk, kEpochsInAll) == weights, "other weights");
  Want(ReadWholeFile(disk + "/log.csv") == log, "another log");
  if (refused) throw *refused;
}

TEST(FullDiskTest, TrainingCanBeResumed) {
  const TestFolder whole, disk;
  const std::vector<float> weights = TrainInto(whole.path(), kEpochsInAll);
  const std::string log = ReadWholeFile(whole / "log.csv");
  for (int free_pages = 0;; ++free_pages) {
    const std::string end =
        EndOf([&] { FillUp(disk.path(), free_pages, weights, log); });
    if (end.find(kNoMounts) != end.npos) GTEST_SKIP() << end;
    if (end.empty()) {
      EXPECT_GE(free_pages, 5);  // as many files
      break;
    }
    EXPECT_TRUE(end.starts_with("ResourceExhausted: [")) << end;
    EXPECT_NE(end.find(disk.path()), end.npos) << end;
  }
}

// Removes a folder after the first epoch.
struct Remover : Callback {
  explicit Remover(std::string folder) : folder(std::move(folder)) {}
  void OnEpochEnd(int epoch, Logs&) override {
    if (epoch == 0) fs::remove_all(folder);
  }
  const std::string folder;
};

// Two epochs, between which the folder is removed.
void FitInLostFolder(const std::string& folder, CallbackPtr writer) {
  fs::create_directories(folder);
  const Sequential model({Input({1}), Dense(1)});
  model.Compile({.optimizer = "sgd", .loss = losses::MeanSquaredError()});
  const Tensor x = Tensor::Full(Shape{4, 1}, 1.0f);
  model.Fit({x, x},
            {.epochs = 2,
             .callbacks = {std::move(writer), MakeCallback<Remover>(folder)},
             .verbose = Verbose::kSilent});
}

TEST(LostFolderTest, FailedWritesAreErrors) {
  const TestFolder test;
  const std::string folder = test / "lost";
  const auto expect_lost = [&](CallbackPtr writer, const std::string& file) {
    ExpectError([&] { FitInLostFolder(folder, std::move(writer)); },
                Code::kNotFound, folder + "/" + file);
  };
  expect_lost(MakeCallback<CSVLogger>(folder + "/log.csv"), "log.csv");
  expect_lost(MakeCallback<TensorBoard>(folder), "train/events.out.tfevents");
}

TEST(LostFolderTest, CheckpointsCreateTheirFolderAgain) {
  const TestFolder test;
  const std::string folder = test / "lost";
  const std::string model = folder + "/a.keras";
  FitInLostFolder(folder, MakeCallback<ModelCheckpoint>(model));
  EXPECT_EQ(LoadModel(model).optimizer().iterations(), 2);
  fs::remove_all(folder);
  const ModelCheckpointOptions weights{.save_weights_only = true};
  FitInLostFolder(
      folder, MakeCallback<ModelCheckpoint>(folder + "/ckpt_{epoch}", weights));
  EXPECT_EQ(LatestCheckpoint(folder), folder + "/ckpt_2");
  fs::remove_all(folder);
  const BackupAndRestoreOptions kept{.delete_checkpoint = false};
  FitInLostFolder(folder, MakeCallback<BackupAndRestore>(folder, kept));
  EXPECT_EQ(LatestCheckpoint(folder), folder + "/ckpt-2");
}

// The older checkpoints are gone, and the state file does not list them.
TEST(LostFolderTest, ManagerContinues) {
  const TestFolder test;
  const std::string folder = test / "lost";
  const VariablePtr v = MakeVariable(
      {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = "v"});
  Checkpoint checkpoint({{"v", v.get()}});
  CheckpointManager manager(checkpoint, folder, {.max_to_keep = 2});
  manager.Save();
  manager.Save();
  fs::remove_all(folder);
  v->Assign(Tensor::Scalar(3.0f));
  manager.Save();
  v->Assign(Tensor::Scalar(0.0f));
  checkpoint.Restore(LatestCheckpoint(folder)).AssertConsumed();
  EXPECT_EQ(v->Read().item<float>(), 3);
  manager.Save();
  EXPECT_EQ(manager.checkpoints(),
            (std::vector<std::string>{folder + "/ckpt-3", folder + "/ckpt-4"}));
}

TEST(LostFolderTest, CacheFailsAtItsEnd) {
  const TestFolder test;
  const std::string folder = test / "lost";
  fs::create_directories(folder);
  DatasetIterator examples = Examples(folder + "/cache").MakeIterator();
  examples.GetNext();
  fs::remove_all(folder);
  ExpectError(
      [&] {
        Structure example;
        while (examples.Next(&example)) continue;
      },
      Code::kNotFound, folder);
}

}  // namespace
}  // namespace lockstep
