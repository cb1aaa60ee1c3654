// Keeps the newest checkpoints of a folder and deletes the others.
//
//   CheckpointManager manager(checkpoint, "train", {.max_to_keep = 2});
//   checkpoint.Restore(manager.latest_checkpoint());
//   for (...) { ...; manager.Save(); }       // train/ckpt-1, train/ckpt-2, ...
//   manager.checkpoints();                   // the last two
//
// Its state lies in the folder's state file, so a later manager goes on where
// this one stopped. REQUIRES: one at a time in a folder.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_MANAGER_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_MANAGER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/checkpoint/checkpoint.h"

namespace lockstep {

struct CheckpointManagerOptions {
  // Oldest first, checkpoints are deleted until so many are left; nullopt
  // keeps all.
  std::optional<int> max_to_keep = std::nullopt;
  // A checkpoint about to be deleted stays for good when the last one that
  // stayed is so many hours older.
  std::optional<double> keep_checkpoint_every_n_hours = std::nullopt;
  std::string checkpoint_name = "ckpt";
  // With both, Save does nothing until so many steps have passed.
  Variable* step_counter = nullptr;
  std::optional<int64_t> checkpoint_interval = std::nullopt;
  // Run by RestoreOrInitialize when there is no checkpoint.
  std::function<void()> init_fn = nullptr;
  // Seconds since 1970; the system's clock unless given.
  std::function<double()> clock = nullptr;
};

struct CheckpointManagerSaveOptions {
  // The suffix, instead of the checkpoint's count (which counts all the same).
  std::optional<int64_t> checkpoint_number = std::nullopt;
  // false: save before the interval is over too, but never one step twice.
  bool check_interval = true;
};

class CheckpointManager {
 public:
  // Takes over the checkpoints that the folder's state file lists; the first
  // Save deletes what is too much. REQUIRES: `checkpoint` and the step counter
  // outlive the manager. Errors: InvalidArgument for max_to_keep < 1, and for
  // an interval without a step counter.
  CheckpointManager(Checkpoint& checkpoint, const std::string& directory,
                    CheckpointManagerOptions options);

  // The new checkpoint's path; nullopt when the interval is not over.
  // Errors: as Checkpoint::Save.
  std::optional<std::string> Save(CheckpointManagerSaveOptions options = {});

  // Restores the newest checkpoint and gives its path; without one runs
  // init_fn and gives nullopt.
  std::optional<std::string> RestoreOrInitialize();

  // Deletes all that it keeps, the state file first, so that nobody restores
  // what is half gone.
  void DeleteAll();

  const std::string& directory() const { return directory_; }
  const std::optional<std::string>& latest_checkpoint() const {
    return latest_checkpoint_;
  }
  // Oldest first, without those that stay for good.
  std::vector<std::string> checkpoints() const;

 private:
  struct Kept {
    std::string path;
    double timestamp;
  };

  void AdoptState();
  bool IsTooEarly(bool check_interval) const;
  void Record(const std::string& path);
  void Sweep();
  void WriteState() const;

  Checkpoint& checkpoint_;
  std::string directory_;
  CheckpointManagerOptions options_;
  std::vector<Kept> kept_;  // oldest first
  std::optional<std::string> latest_checkpoint_;
  double last_preserved_timestamp_ = 0;
  std::optional<int64_t> last_checkpoint_step_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_MANAGER_H_
