// The loops of Model::Fit and Model::Evaluate.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_LOOP_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_LOOP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

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

// Errors: InvalidArgument if the data is known to be infinite and `steps`, the value
// of the operation's option `option`, is not given.
void CheckHasEnd(std::string_view operation, const DistributedDataset& data,
                 const std::optional<int64_t>& steps, std::string_view option);

// Errors: InvalidArgument for numbers of epochs and steps that cannot be.
void CheckFitOptions(const FitOptions& options);

// The callbacks of the options, and the one that prints.
std::vector<CallbackPtr> CallbacksOf(const FitOptions& options);

// The size of the batches that are made of arrays. Errors: InvalidArgument if it is
// given for data that is made of batches.
int64_t BatchSize(std::string_view operation, const TrainingData& data,
                  const std::optional<int64_t>& given);

struct MeasureOptions {
  std::optional<int64_t> steps = std::nullopt;  // else to the end of the pass
  bool penalties = true;                        // the loss includes them
};

// Evaluates the model, and calls the callbacks' OnTest methods.
// Errors: InvalidArgument if there is no batch, or the data is known to be infinite
// and `steps` is not given.
Logs Measure(CompiledModel& compiled, InputPlace& data,
             const MeasureOptions& options, const CallbackList& callbacks);

class FitLoop {
 public:
  // REQUIRES: model and compiled outlive it. Errors: InvalidArgument if options
  // contradict each other.
  FitLoop(const Model& model, CompiledModel& compiled, const TrainingData& data,
          const FitOptions& options);

  // REQUIRES: called once.
  History Run();

 private:
  FitLoop(const Model& model, CompiledModel& compiled,
          std::pair<TrainingData, std::optional<TrainingData>> data,
          const FitOptions& options);

  void RunEpochs();
  void RunEpoch();
  void TrainBatches();
  // Trains up to steps_per_execution batches. Returns their number.
  int64_t TrainSome();
  bool NextBatch(PerReplica<Batch>* batch);
  // Whether an epoch is a pass over the data.
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
