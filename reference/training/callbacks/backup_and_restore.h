// Training that goes on where it was interrupted.
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
  bool delete_checkpoint = true;  // when training is over
};

// Keeps the last state of training in a folder of its own, and begins with it
// where there is one: weights, optimizer, metrics, and the place in the data.
//
//   MakeCallback<BackupAndRestore>("backup",
//                                  BackupAndRestoreOptions{.save_freq = 100})
//
// The same program, started again after it was killed, trains on with the very
// next batch, with the losses of one that was not; with another number of
// replicas too. The folder is the callback's: at the end the backup is deleted.
// It is best the last callback: what those behind it do at the end of an epoch
// is not done where the process ends between.
// Errors, of fit: those of Checkpoint::Restore and of FitProgress; DataLoss for a
// folder that says it has a backup and has none.
class BackupAndRestore : public Callback {
 public:
  // Errors: InvalidArgument for an empty folder and a frequency below 0.
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
