#include "reference/training/model/model_weights.h"

#include <filesystem>
#include <system_error>

#include "reference/base/error.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/write_directory.h"
#include "reference/training/export/keras/keras_weights.h"

namespace lockstep {
namespace {

bool IsKerasFile(const std::string& path) {
  return path.ends_with(".weights.h5") || path.ends_with(".keras");
}

}  // namespace

std::string FolderOfFile(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

void MakeFolder(const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    throw Unavailable("[Save] cannot make the folder {}: {}", folder,
                      code.message());
  }
}

void SaveModelWeights(const Layer& model, const std::string& path,
                      const Topology& topology) {
  if (!model.built()) {
    throw FailedPrecondition("[SaveWeights] '{}' has no weights yet",
                             model.name());
  }
  const std::filesystem::path wanted(path);
  const WriteDirectory directory(topology, FolderOfFile(path));
  MakeFolder(directory.path());
  const std::string prefix =
      std::filesystem::path(directory.path()) / wanted.filename();
  if (IsKerasFile(path)) return SaveKerasWeights(prefix, model);
  Checkpoint({{"model", model.trackable()}}).Write(prefix);
  CheckpointState state;
  state.model_checkpoint_path = prefix;
  state.all_model_checkpoint_paths = {prefix};
  WriteCheckpointState(directory.path(), state);
}

void LoadModelWeights(const Layer& model, const std::string& path) {
  if (IsKerasFile(path)) return LoadKerasWeights(path, model);
  Checkpoint checkpoint({{"model", model.trackable()}});
  // It may hold more: an optimizer's state, say.
  checkpoint.Read(path, /*every_value=*/true).ExpectPartial();
}

}  // namespace lockstep
