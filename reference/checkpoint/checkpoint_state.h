// The text file `checkpoint` that says which checkpoints a folder holds.
//
//   LatestCheckpoint("train");       // "train/ckpt-3", nullopt without one
//
// In the file paths are relative to the folder, in the API they lead with it:
//
//   model_checkpoint_path: "ckpt-3"
//   all_model_checkpoint_paths: "ckpt-2"
//   all_model_checkpoint_paths: "ckpt-3"
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_STATE_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_STATE_H_

#include <optional>
#include <string>
#include <vector>

#include "reference/base/atomic_file.h"

namespace lockstep {

inline constexpr char kCheckpointStateFile[] = "checkpoint";

struct CheckpointState {
  std::string model_checkpoint_path;
  std::vector<std::string> all_model_checkpoint_paths;  // oldest first
  // Seconds since 1970, one a path; empty unless a CheckpointManager wrote it.
  std::vector<double> all_model_checkpoint_timestamps;
  double last_preserved_timestamp = 0;
};

// nullopt when the folder has no state file.
// Errors: DataLoss for a file that is none.
std::optional<CheckpointState> ReadCheckpointState(const std::string& folder);

// Replaces the state file. REQUIRES: every path leads with `folder`, or is
// absolute. Errors: as AtomicFile; InvalidArgument when a path is the state
// file's own.
void WriteCheckpointState(const std::string& folder,
                          const CheckpointState& state,
                          Durability durability = Durability::kMachine);

// The newest checkpoint by the state file, ready for Restore; nullopt without
// a state file, and, with a warning, when the checkpoint it names is gone.
std::optional<std::string> LatestCheckpoint(const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_STATE_H_
