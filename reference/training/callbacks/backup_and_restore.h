// Resumes interrupted training.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_BACKUP_AND_RESTORE_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_BACKUP_AND_RESTORE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "reference/training/callbacks/save_frequency.h"
#include "reference/training/events/callback.h"

namespace lockstep {

struct BackupAndRestoreOptions {
  int64_t save_freq = kEveryEpoch;
  bool delete_checkpoint = true;  // at the end of training
};

// Saves the state of training in a folder, and resumes from a saved state at the
// begin: weights, optimizer, metrics, and the position in the data.
//
//   MakeCallback<BackupAndRestore>("backup",
//                                  BackupAndRestoreOptions{.save_freq = 100})
//
// If the program is killed and started again, also with another number of replicas,
// training continues with the next batch and the same losses. No other code may use
// the folder; the backup is deleted at the end of training. Make it the last
// callback: if the process is killed between its OnEpochEnd and that of a later
// callback, the later one misses that epoch.
// Errors, of fit: those of Checkpoint::Restore and of FitProgress; DataLoss if the
// folder's state file names a backup that does not exist.
class BackupAndRestore : public Callback {
 public:
  // Errors: InvalidArgument if the folder is empty or the frequency is negative.
  explicit BackupAndRestore(std::string folder,
                            const BackupAndRestoreOptions& options = {});
  ~BackupAndRestore() override;

  void OnTrainBegin() override;
  void OnEpochBegin(int epoch) override;
  void OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) override;
  void OnEpochEnd(int epoch, Logs& logs) override;
  void OnTrainEnd(const Logs& logs) override;
  void OnClose() override;

 private:
  struct Backup;

  const std::string folder_;
  const BackupAndRestoreOptions options_;
  std::unique_ptr<Backup> backup_;  // while training
  SaveFrequency frequency_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_BACKUP_AND_RESTORE_H_
