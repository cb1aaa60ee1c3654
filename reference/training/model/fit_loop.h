// The loops behind Model::Fit and Model::Evaluate.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_LOOP_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_LOOP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "reference/distribute/input/distributed_dataset.h"
#include "reference/training/batches/input_place.h"
#include "reference/training/batches/training_data.h"
#include "reference/training/events/callback.h"
#include "reference/training/events/logs.h"
#include "reference/training/model/compiled_model.h"
#include "reference/training/model/fit_options.h"
#include "reference/training/model/fit_progress.h"

namespace lockstep {

class Model;

// Errors: InvalidArgument where the data is known to have no end, and `steps`, the
// operation's option of that name, does not say where to stop.
void CheckHasEnd(std::string_view operation, const DistributedDataset& data,
                 const std::optional<int64_t>& steps, std::string_view option);

// Measures `steps` batches, or all to the end of the pass, with the calls of
// callbacks that belong to it.
struct MeasureOptions {
  std::optional<int64_t> steps = std::nullopt;
  bool penalties = true;  // are part of the loss
};
//
// Errors: InvalidArgument for data without a batch, and for data that is known to
// have no end where `steps` says none.
Logs Measure(CompiledModel& compiled, InputPlace& data,
             const MeasureOptions& options, const CallbackList& callbacks);

class FitLoop {
 public:
  // REQUIRES: model and compiled outlive it. Errors: InvalidArgument for
  // options that do not go together.
  FitLoop(const Model& model, CompiledModel& compiled, const TrainingData& data,
          const FitOptions& options);

  // Once.
  History Run();

 private:
  FitLoop(const Model& model, CompiledModel& compiled,
          std::pair<TrainingData, std::optional<TrainingData>> data,
          const FitOptions& options);

  void RunEpochs();
  void RunEpoch();
  void TrainBatches();
  // Up to steps_per_execution of them; how many there were.
  int64_t TrainSome();
  bool NextBatch(PerReplica<Batch>* batch);
  // An epoch is a pass over the data.
  bool EpochsArePasses() const { return !options_.steps_per_epoch; }
  bool EpochIsFull() const;

  const FitOptions options_;
  CompiledModel& compiled_;
  const std::shared_ptr<InputPlace> training_;
  const std::optional<DistributedDataset> validation_;
  const CallbackList callbacks_;
  FitProgress progress_;
  Logs last_logs_;
  History history_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_LOOP_H_
