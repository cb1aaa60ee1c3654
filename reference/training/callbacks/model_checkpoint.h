// Saves a model while it is trained.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_MODEL_CHECKPOINT_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_MODEL_CHECKPOINT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/training/callbacks/metric_watch.h"
#include "reference/training/callbacks/save_frequency.h"
#include "reference/training/events/callback.h"

namespace lockstep {

struct ModelCheckpointOptions {
  bool save_weights_only = false;
  int64_t save_freq = kEveryEpoch;
  // Saves only if `monitor` is better than in all earlier files.
  bool save_best_only = false;
  std::string monitor = "val_loss";
  WatchMode mode = WatchMode::kAuto;
  // The first one must be better than this.
  std::optional<double> initial_value_threshold = std::nullopt;
};

// Saves the model, or its weights.
//
//   MakeCallback<ModelCheckpoint>("ckpt/ckpt_{epoch}",
//                                 ModelCheckpointOptions{
//                                     .save_weights_only = true})
//   MakeCallback<ModelCheckpoint>("best-{val_loss:.2f}.keras",
//                                 ModelCheckpointOptions{
//                                     .save_best_only = true})
//
// The path may have {epoch} and {batch}, which count from 1, and names of the logs,
// with Python's formats. The extension selects the format (Model::SaveWeights,
// Model::Save). Errors, of fit: InvalidArgument for a name that the logs do not
// have; those of saving.
class ModelCheckpoint : public Callback {
 public:
  // Errors: InvalidArgument if the path is empty, the frequency is negative, or the
  // path of a whole model does not end in ".keras".
  explicit ModelCheckpoint(std::string path,
                           const ModelCheckpointOptions& options = {});

  void OnEpochBegin(int epoch) override;
  void OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) override;
  void OnEpochEnd(int epoch, Logs& logs) override;

 private:
  void Save(int epoch, int64_t batch, const Logs& logs);
  std::string FileName(int epoch, int64_t batch, const Logs& logs) const;

  const std::string path_;
  const ModelCheckpointOptions options_;
  MetricWatch watch_;
  SaveFrequency frequency_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_MODEL_CHECKPOINT_H_
