// Keeps the newest checkpoints of a folder and deletes the others.
//
//   CheckpointManager manager(checkpoint, "train", {.max_to_keep = 2});
//   checkpoint.Restore(manager.latest_checkpoint());
//   for (...) { ...; manager.Save(); }       // train/ckpt-1, train/ckpt-2, ...
//   manager.checkpoints();                   // the last two
//
// Its state is in the folder's state file, so a later manager continues from
// there. REQUIRES: one manager at a time per folder.
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
  // The number of checkpoints to keep; the oldest are deleted first. nullopt keeps
  // all.
  std::optional<int> max_to_keep = std::nullopt;
  // A checkpoint that would be deleted is preserved instead if the last preserved
  // one is at least this many hours older.
  std::optional<double> keep_checkpoint_every_n_hours = std::nullopt;
  std::string checkpoint_name = "ckpt";
  // If both are set, Save does nothing until this many steps have passed.
  Variable* step_counter = nullptr;
  std::optional<int64_t> checkpoint_interval = std::nullopt;
  // RestoreOrInitialize calls it if there is no checkpoint.
  std::function<void()> init_fn = nullptr;
  // Returns seconds since 1970. Default: the system's clock.
  std::function<double()> clock = nullptr;
};

struct CheckpointManagerSaveOptions {
  // The number in the name, in place of the count (which still increases).
  std::optional<int64_t> checkpoint_number = std::nullopt;
  // If false, saves even before the interval is over, but never twice per step.
  bool check_interval = true;
};

class CheckpointManager {
 public:
  // Manages the checkpoints that the folder's state file lists; the first Save
  // deletes those beyond max_to_keep. REQUIRES: `checkpoint` and the step counter
  // outlive the manager. Errors: InvalidArgument if max_to_keep < 1, or if there
  // is an interval but no step counter.
  CheckpointManager(Checkpoint& checkpoint, const std::string& directory,
                    CheckpointManagerOptions options);

  // Returns the new checkpoint's path; nullopt if the interval is not over.
  // Errors: as Checkpoint::Save.
  std::optional<std::string> Save(CheckpointManagerSaveOptions options = {});

  // Restores the newest checkpoint and returns its path. If there is none, calls
  // init_fn and returns nullopt.
  std::optional<std::string> RestoreOrInitialize();

  // Deletes all checkpoints that it keeps. Deletes the state file first, so that
  // no program restores a partly deleted checkpoint.
  void DeleteAll();

  const std::string& directory() const { return directory_; }
  const std::optional<std::string>& latest_checkpoint() const {
    return latest_checkpoint_;
  }
  // Oldest first, without the preserved ones.
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
