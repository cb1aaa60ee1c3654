// The state file: a text file named `checkpoint` that lists the checkpoints in a
// folder.
//
//   LatestCheckpoint("train");       // "train/ckpt-3", nullopt if none
//
// Paths in the file are relative to the folder; paths in the API include it:
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
  // Seconds since 1970, one per path; empty unless a CheckpointManager wrote it.
  std::vector<double> all_model_checkpoint_timestamps;
  double last_preserved_timestamp = 0;
};

// nullopt if the folder has no state file.
// Errors: DataLoss if it cannot be parsed.
std::optional<CheckpointState> ReadCheckpointState(const std::string& folder);

// Replaces the state file. REQUIRES: every path begins with `folder` or is
// absolute. Errors: as AtomicFile; InvalidArgument if a path is the state file.
void WriteCheckpointState(const std::string& folder,
                          const CheckpointState& state,
                          Durability durability = Durability::kMachine);

// The newest checkpoint according to the state file. nullopt if there is no state
// file, and, with a warning, if the checkpoint that it names does not exist.
std::optional<std::string> LatestCheckpoint(const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_STATE_H_
