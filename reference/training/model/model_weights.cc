#include "reference/training/model/model_weights.h"

#include <filesystem>

#include "reference/base/error.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/write_directory.h"

namespace lockstep {
namespace {

// "." for a file of the current one.
std::string FolderOf(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

void SaveModelWeights(const Layer& model, const std::string& path,
                      const Topology& topology) {
  if (!model.built()) {
    throw FailedPrecondition("[SaveWeights] '{}' has no weights yet",
                             model.name());
  }
  const std::filesystem::path wanted(path);
  const WriteDirectory directory(topology, FolderOf(wanted));
  const std::string prefix = (directory.path() / wanted.filename()).string();
  Checkpoint({{"model", model.trackable()}}).Write(prefix);
  CheckpointState state;
  state.model_checkpoint_path = prefix;
  state.all_model_checkpoint_paths = {prefix};
  WriteCheckpointState(directory.path(), state);
}

void LoadModelWeights(const Layer& model, const std::string& path) {
  Checkpoint checkpoint({{"model", model.trackable()}});
  // It may hold more: an optimizer's state, say.
  checkpoint.Read(path, /*every_value=*/true).ExpectPartial();
}

}  // namespace lockstep
