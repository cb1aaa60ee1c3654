#include "reference/training/callbacks/backup_and_restore.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "reference/base/error.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/write_directory.h"
#include "reference/training/model/fit_progress.h"
#include "reference/training/model/model.h"

namespace lockstep {

// What is saved, and where this worker saves it.
struct BackupAndRestore::Backup {
  Backup(const Model& model, FitProgress& progress, const std::string& folder)
      : checkpoint({{"model", model.trackable()},
                    {"optimizer", &model.optimizer()},
                    {"metrics", &model.metrics()},
                    {"progress", &progress}}),
        directory(model.strategy().topology(), folder),
        manager(checkpoint, directory.path(), {.max_to_keep = 1}) {
    checkpoint.KeepEachReplica();
  }

  Checkpoint checkpoint;
  WriteDirectory directory;
  CheckpointManager manager;
};

BackupAndRestore::BackupAndRestore(std::string folder,
                                   const BackupAndRestoreOptions& options)
    : folder_(std::move(folder)),
      options_(options),
      frequency_(options.save_freq) {
  frequency_.Check("BackupAndRestore");
  if (folder_.empty()) {
    throw InvalidArgument("[BackupAndRestore] wanted a folder, got none");
  }
}

BackupAndRestore::~BackupAndRestore() = default;

namespace {

// Nothing where nothing was saved. A save names what is there, and what is
// deleted loses its name first.
std::optional<std::string> LatestBackup(const std::string& folder) {
  std::optional<std::string> latest = LatestCheckpoint(folder);
  if (!latest && ReadCheckpointState(folder)) {
    throw DataLoss("[BackupAndRestore] {}/{} names no backup that is there",
                   folder, kCheckpointStateFile);
  }
  return latest;
}

}  // namespace

void BackupAndRestore::OnTrainBegin() {
  // All workers begin with what the chief saved.
  const std::optional<std::string> latest = LatestBackup(folder_);
  backup_ = std::make_unique<Backup>(model(), progress(), folder_);
  backup_->checkpoint.Restore(latest).ExpectPartial();
}

void BackupAndRestore::OnEpochBegin(int /*epoch*/) {
  frequency_.BeginEpoch(progress().step());
}

void BackupAndRestore::OnTrainBatchEnd(int64_t batch,
                                       const LazyLogs& /*logs*/) {
  if (frequency_.IsDue(batch)) backup_->manager.Save();
}

void BackupAndRestore::OnEpochEnd(int /*epoch*/, Logs& /*logs*/) {
  if (frequency_.every_epoch()) backup_->manager.Save();
}

void BackupAndRestore::OnTrainEnd(const Logs& /*logs*/) {
  if (!options_.delete_checkpoint || !parameters().is_chief) return;
  backup_->manager.DeleteAll();
  std::error_code not_empty;  // somebody else's files stay
  std::filesystem::remove(folder_, not_empty);
}

void BackupAndRestore::OnClose() { backup_.reset(); }

}  // namespace lockstep
