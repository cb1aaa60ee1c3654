// Fit and Evaluate under a ParameterServerStrategy: workers train and evaluate on
// data that they make for themselves, the coordinator counts steps and epochs.
//
//   const DatasetCreator train("train", function);
//   model.Fit(train, {.epochs = 3, .steps_per_epoch = 100});
//
// Coordinator and workers make the same calls. On a worker the first of them makes
// the weights, and serves until the coordinator has ended: it returns nothing, and
// the coordinator's later calls use the same creators.
//
// A function that is scheduled trains steps_per_execution batches, each as a step
// of its own: batches of different workers are not summed. The optimizer updates
// weights on their servers. Metrics are of all batches of an epoch, each counted
// once. Callbacks are called for epochs, not for batches. A backup has the state
// after an epoch; the data begins from the start in each call of Fit.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FIT_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FIT_H_

#include "reference/parameter_server/coordinator/parameter_server_strategy.h"
#include "reference/training/batches/training_data.h"
#include "reference/training/events/callback.h"
#include "reference/training/events/logs.h"
#include "reference/training/model/compiled_model.h"
#include "reference/training/model/fit_options.h"

namespace lockstep {

class Model;

// The strategy of a model that workers train, else nullptr.
ParameterServerStrategy* WorkersOf(const CompiledModel& compiled);

// REQUIRES, here and below: WorkersOf(compiled). Errors: InvalidArgument for data
// that is no creator, without steps, and for options of arrays; those of the data
// and of callbacks; Unavailable if a server is lost.
History FitOnWorkers(const Model& model, CompiledModel& compiled,
                     const TrainingData& data, const FitOptions& options);
Logs EvaluateOnWorkers(const Model& model, CompiledModel& compiled,
                       const TrainingData& data, const EvaluateOptions& options,
                       const CallbackList& callbacks);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_WORKER_FIT_H_
