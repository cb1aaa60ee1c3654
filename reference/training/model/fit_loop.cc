#include "reference/training/model/fit_loop.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/training/events/epoch_lines.h"

namespace lockstep {
namespace {

constexpr int64_t kBatchSize = 32;  // Keras' default

LazyLogs ResultsOf(CompiledModel& compiled) {
  return LazyLogs([&compiled] { return compiled.Results(); });
}

std::pair<TrainingData, std::optional<TrainingData>> ChooseData(
    const TrainingData& data, const FitOptions& options) {
  if (options.validation_split == 0) return {data, options.validation_data};
  if (options.validation_data) {
    throw InvalidArgument(
        "[Fit] validation_data and validation_split exclude each other");
  }
  return data.Split(options.validation_split);
}

std::optional<DistributedDataset> DistributeValidation(
    const std::optional<TrainingData>& data, Strategy& strategy,
    const FitOptions& options) {
  if (!data) return std::nullopt;
  return data->Distribute(
      strategy, {.batch_size = options.batch_size.value_or(kBatchSize)});
}

std::optional<int64_t> StepsOf(const DistributedDataset& data,
                               const FitOptions& options) {
  if (options.steps_per_epoch) return options.steps_per_epoch;
  const int64_t steps = data.cardinality();
  if (steps < 0) return std::nullopt;
  return steps;
}

}  // namespace

void CheckFitOptions(const FitOptions& options) {
  if (options.epochs < 0 || options.initial_epoch < 0) {
    throw InvalidArgument("[Fit] epochs cannot be negative, got {} from {}",
                          options.epochs, options.initial_epoch);
  }
  if (options.steps_per_epoch.value_or(1) < 1 ||
      options.validation_steps.value_or(1) < 1) {
    throw InvalidArgument(
        "[Fit] steps must be positive, got {} per epoch and {} of validation",
        options.steps_per_epoch.value_or(1),
        options.validation_steps.value_or(1));
  }
  options.validation_freq.Includes(0);
}

std::vector<CallbackPtr> CallbacksOf(const FitOptions& options) {
  std::vector<CallbackPtr> callbacks = options.callbacks;
  if (options.verbose != Verbose::kSilent) {
    callbacks.push_back(MakeCallback<EpochLines>());
  }
  return callbacks;
}

void CheckHasEnd(std::string_view operation, const DistributedDataset& data,
                 const std::optional<int64_t>& steps, std::string_view option) {
  if (steps || data.cardinality() != kInfiniteCardinality) return;
  throw InvalidArgument(
      "[{}] the data is infinite, as Repeat() makes it; give {}, or Repeat a "
      "count",
      operation, option);
}

int64_t BatchSize(std::string_view operation, const TrainingData& data,
                  const std::optional<int64_t>& given) {
  if (!given) return kBatchSize;
  if (data.is_arrays()) return *given;
  throw InvalidArgument(
      "[{}] batch_size is for arrays, got {} for a dataset, whose elements are "
      "batches: use Batch({}) instead",
      operation, *given, *given);
}

bool ValidationFrequency::Includes(int epoch) const {
  if (!epochs_.empty()) return epochs_.contains(epoch + 1);
  if (every_ < 1) {
    throw InvalidArgument("[Fit] validation_freq must be positive, got {}",
                          every_);
  }
  return (epoch + 1) % every_ == 0;
}

Logs Measure(CompiledModel& compiled, InputPlace& data,
             const MeasureOptions& options, const CallbackList& callbacks) {
  CheckHasEnd("Evaluate", data.data(), options.steps, "steps");
  compiled.SyncMovingAverages();
  compiled.ResetMetrics();
  callbacks.Tell(&Callback::OnTestBegin);
  PerReplica<Batch> batch;
  int64_t done = 0;
  while (!options.steps || done < *options.steps) {
    if (!data.NextBatch(&batch)) {
      data.EndPass();
      break;
    }
    if (done == 0) compiled.Prepare(batch);
    callbacks.Tell(&Callback::OnTestBatchBegin, done);
    compiled.TestStep(batch, options.penalties);
    callbacks.Tell(&Callback::OnTestBatchEnd, done, ResultsOf(compiled));
    ++done;
  }
  if (done == 0) {
    throw InvalidArgument("[Evaluate] the data has no batches");
  }
  const Logs logs = compiled.Results();
  callbacks.Tell(&Callback::OnTestEnd, logs);
  return logs;
}

FitLoop::FitLoop(const Model& model, CompiledModel& compiled,
                 const TrainingData& data, const FitOptions& options)
    : FitLoop(model, compiled, ChooseData(data, options), options) {}

FitLoop::FitLoop(const Model& model, CompiledModel& compiled,
                 std::pair<TrainingData, std::optional<TrainingData>> data,
                 const FitOptions& options)
    : options_(options),
      compiled_(compiled),
      training_(data.first.PlaceIn(
          compiled.strategy(),
          {.batch_size = BatchSize("Fit", data.first, options.batch_size),
           .shuffle = options.shuffle,
           .class_weight = options.class_weight})),
      validation_(
          DistributeValidation(data.second, compiled.strategy(), options)),
      callbacks_(CallbacksOf(options)),
      progress_(training_, options.initial_epoch) {
  CheckFitOptions(options);
  compiled_.CheckMetricNames();
  CheckHasEnd("Fit", training_->data(), options.steps_per_epoch,
              "steps_per_epoch");
  if (validation_) {
    CheckHasEnd("Fit", *validation_, options.validation_steps,
                "validation_steps");
  }
  callbacks_.Attach(model,
                    {.epochs = options.epochs,
                     .steps = StepsOf(training_->data(), options),
                     .is_chief = compiled.strategy().topology().is_chief()},
                    &progress_);
}

History FitLoop::Run() {
  try {
    callbacks_.Tell(&Callback::OnTrainBegin);
    RunEpochs();
    compiled_.FinalizeWeights();
    callbacks_.Tell(&Callback::OnTrainEnd, last_logs_);
  } catch (...) {
    callbacks_.Close(/*quietly=*/true);
    throw;
  }
  callbacks_.Close(/*quietly=*/false);
  return history_;
}

void FitLoop::RunEpochs() {
  // A callback may have restored an earlier run, which may have trained all batches
  // of its last epoch.
  PerReplica<Structure> last;
  if (progress_.FindPlace(&last)) compiled_.PrepareToResume(TakeApart(last));
  while (progress_.epoch() < options_.epochs && !progress_.stopped()) {
    RunEpoch();
  }
}

void FitLoop::RunEpoch() {
  const int epoch = progress_.epoch();
  if (progress_.step() == 0) compiled_.ResetMetrics();
  callbacks_.Tell(&Callback::OnEpochBegin, epoch);
  TrainBatches();
  Logs logs = compiled_.Results();
  if (validation_ && options_.validation_freq.Includes(epoch)) {
    InputPlace pass(*validation_);
    logs.Append(Measure(compiled_, pass, {.steps = options_.validation_steps},
                        callbacks_),
                "val_");
  }
  progress_.EpochDone(EpochsArePasses());
  callbacks_.Tell(&Callback::OnEpochEnd, epoch, logs);
  history_.Add(epoch, logs);
  last_logs_ = logs;
}

bool FitLoop::EpochIsFull() const {
  return options_.steps_per_epoch &&
         progress_.step() >= *options_.steps_per_epoch;
}

void FitLoop::TrainBatches() {
  while (!EpochIsFull() && !progress_.stopped()) {
    if (TrainSome() == 0) break;
  }
  if (progress_.step() == 0) {
    throw InvalidArgument("[Fit] the data has no batches");
  }
  if (!EpochsArePasses() && !EpochIsFull() && !progress_.stopped()) {
    LogWarning(
        "[Fit] training ends because the data ended after {} of {} batches of "
        "epoch {}; use Repeat() for infinite data",
        progress_.step(), *options_.steps_per_epoch, progress_.epoch() + 1);
    progress_.Stop();
  }
}

bool FitLoop::NextBatch(PerReplica<Batch>* batch) {
  return !EpochIsFull() && progress_.NextBatch(batch);
}

int64_t FitLoop::TrainSome() {
  PerReplica<Batch> batch;
  if (!NextBatch(&batch)) return 0;
  callbacks_.Tell(&Callback::OnTrainBatchBegin, progress_.step());
  int64_t done = 0;
  do {
    compiled_.TrainStep(batch);
    progress_.BatchDone();
    ++done;
  } while (done < compiled_.steps_per_execution() && NextBatch(&batch));
  callbacks_.Tell(&Callback::OnTrainBatchEnd, progress_.step() - 1,
                  ResultsOf(compiled_));
  return done;
}

}  // namespace lockstep
