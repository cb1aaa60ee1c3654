#include "reference/training/model/model_weights.h"

#include "reference/base/error.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/export/keras/keras_weights.h"
#include "reference/training/model/worker_file.h"

namespace lockstep {
namespace {

bool IsKerasFile(const std::string& path) {
  return path.ends_with(".weights.h5") || path.ends_with(".keras");
}

}  // namespace

void SaveModelWeights(const Layer& model, const std::string& path,
                      const Topology& topology) {
  if (!model.built()) {
    throw FailedPrecondition("[SaveWeights] '{}' has no weights yet",
                             model.name());
  }
  const WorkerFile file(topology, path);
  if (IsKerasFile(path)) return SaveKerasWeights(file.path(), model);
  Checkpoint({{"model", model.trackable()}}).Write(file.path());
  CheckpointState state;
  state.model_checkpoint_path = file.path();
  state.all_model_checkpoint_paths = {file.path()};
  WriteCheckpointState(file.folder(), state);
}

void LoadModelWeights(const Layer& model, const std::string& path) {
  if (IsKerasFile(path)) return LoadKerasWeights(path, model);
  Checkpoint checkpoint({{"model", model.trackable()}});
  // It may hold more: an optimizer's state, say.
  checkpoint.Read(path, /*every_value=*/true).ExpectPartial();
}

}  // namespace lockstep
