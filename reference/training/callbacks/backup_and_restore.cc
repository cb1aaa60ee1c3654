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

// The state that is saved, and the folder to which this worker saves it.
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
    throw InvalidArgument("[BackupAndRestore] the folder is empty");
  }
}

BackupAndRestore::~BackupAndRestore() = default;

namespace {

// nullopt if there is no backup. The state file names a backup only while it exists:
// a save writes it last, and DeleteAll deletes it first.
std::optional<std::string> LatestBackup(const std::string& folder) {
  std::optional<std::string> latest = LatestCheckpoint(folder);
  if (!latest && ReadCheckpointState(folder)) {
    throw DataLoss(
        "[BackupAndRestore] {}/{} names a backup that does not exist", folder,
        kCheckpointStateFile);
  }
  return latest;
}

}  // namespace

void BackupAndRestore::OnTrainBegin() {
  // All workers restore the chief's backup.
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
  std::error_code not_empty;  // ignored: other programs' files stay
  std::filesystem::remove(folder_, not_empty);
}

void BackupAndRestore::OnClose() { backup_.reset(); }

}  // namespace lockstep
