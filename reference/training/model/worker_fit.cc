#include "reference/training/model/worker_fit.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/cluster_coordinator.h"
#include "reference/training/model/fit_loop.h"
#include "reference/training/model/fit_progress.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

const DatasetCreator& CreatorOf(std::string_view operation,
                                const TrainingData& data) {
  if (data.creator() != nullptr) return *data.creator();
  throw InvalidArgument(
      "[{}] under a ParameterServerStrategy each worker makes its own data; "
      "give a DatasetCreator, not a dataset or arrays",
      operation);
}

int64_t StepsOf(std::string_view operation, std::string_view option,
                const std::optional<int64_t>& steps) {
  if (steps) return *steps;
  throw InvalidArgument(
      "[{}] requires {} with a DatasetCreator: workers read their data in "
      "turn, "
      "and the end of one worker's data is not the end of the epoch",
      operation, option);
}

void CheckOptions(const FitOptions& options) {
  CheckFitOptions(options);
  StepsOf("Fit", "steps_per_epoch", options.steps_per_epoch);
  if (options.validation_data && options.validation_data->creator()) {
    StepsOf("Fit", "validation_steps", options.validation_steps);
  }
  if (options.batch_size || options.validation_split != 0 ||
      !options.class_weight.empty()) {
    throw InvalidArgument(
        "[Fit] batch_size, validation_split and class_weight are for arrays; "
        "with a DatasetCreator its function does this");
  }
}

// The functions of a worker: they run a number of batches, and return the state of
// the metrics that these made.
WorkerFunctionBody StepsWith(
    CompiledModel& compiled,
    std::function<void(const PerReplica<Batch>&)> step) {
  return [&compiled,
          step = std::move(step)](const WorkerArguments& in) -> Structure {
    compiled.TakeMetricState();  // of a function that failed
    for (int64_t i = 0; i < in["steps"].leaf().item<int64_t>(); ++i) {
      step(PerReplica<Batch>({TakeApart(in.Next("batches"))}));
    }
    return compiled.TakeMetricState();
  };
}

// What coordinator and workers have in common.
class SharedProgram {
 public:
  SharedProgram(const Model& model, CompiledModel& compiled)
      : compiled_(compiled),
        strategy_(*WorkersOf(compiled)),
        train_(strategy_.EnsureFunction(
            model.name() + ".train",
            StepsWith(compiled,
                      [&compiled](const PerReplica<Batch>& batch) {
                        compiled.TrainStep(batch);
                      }))),
        test_(strategy_.EnsureFunction(
            model.name() + ".test",
            StepsWith(compiled, [&compiled](const PerReplica<Batch>& batch) {
              compiled.TestStep(batch);
            }))) {}

  const WorkerFunction& train() const { return train_; }
  const WorkerFunction& test() const { return test_; }

  // Makes the model's weights and the optimizer's state, in the same order in all
  // processes.
  void Build(const DatasetCreator& creator) {
    Structure element;
    if (!creator.function()(InputContext()).MakeIterator().Next(&element)) {
      throw InvalidArgument("[Fit] the data of '{}' has no batches",
                            creator.name());
    }
    compiled_.PrepareToResume(PerReplica<Batch>({TakeApart(element)}));
  }

  WorkerDataset Data(const DatasetCreator& creator) {
    return strategy_.EnsureDataset("data." + creator.name(),
                                   creator.function());
  }

 private:
  CompiledModel& compiled_;
  ParameterServerStrategy& strategy_;
  const WorkerFunction train_;
  const WorkerFunction test_;
};

// Lets workers run steps, and adds up their metrics.
class RemoteSteps {
 public:
  RemoteSteps(CompiledModel& compiled, ClusterCoordinator& coordinator,
              const WorkerDataset& data, WorkerFunction function)
      : compiled_(compiled),
        coordinator_(coordinator),
        function_(std::move(function)),
        batches_(coordinator.CreatePerWorkerDataset(data).MakeIterator()) {}

  // Waits for all. The metrics' state has them when it returns.
  void Run(int64_t steps) {
    std::vector<RemoteValue> results;
    while (steps > 0) {
      const int64_t together =
          std::min<int64_t>(steps, compiled_.steps_per_execution());
      results.push_back(coordinator_.Schedule(
          function_,
          {{"batches", batches_}, {"steps", Tensor::Scalar(together)}}));
      steps -= together;
    }
    coordinator_.Join();
    for (const RemoteValue& result : results) {
      compiled_.AddMetricState(result.Fetch());
    }
  }

 private:
  CompiledModel& compiled_;
  ClusterCoordinator& coordinator_;
  const WorkerFunction function_;
  const PerWorkerValue batches_;
};

Logs Test(CompiledModel& compiled, RemoteSteps& steps, int64_t count,
          const CallbackList& callbacks) {
  compiled.ResetMetrics();
  callbacks.Tell(&Callback::OnTestBegin);
  steps.Run(count);
  const Logs logs = compiled.Results();
  callbacks.Tell(&Callback::OnTestEnd, logs);
  return logs;
}

// The coordinator's part of fit.
class WorkerFit {
 public:
  WorkerFit(const Model& model, CompiledModel& compiled, SharedProgram& program,
            const TrainingData& data, const FitOptions& options)
      : options_(options),
        compiled_(compiled),
        callbacks_(CallbacksOf(options)),
        progress_(NoPlace(compiled), options.initial_epoch),
        coordinator_(*WorkersOf(compiled)),
        training_(compiled, coordinator_, program.Data(*data.creator()),
                  program.train()) {
    if (options.validation_data)
      ValidateWith(program, *options.validation_data);
    callbacks_.Attach(
        model, {.epochs = options.epochs, .steps = options.steps_per_epoch},
        &progress_);
  }

  History Run() {
    try {
      callbacks_.Tell(&Callback::OnTrainBegin);
      while (progress_.epoch() < options_.epochs && !progress_.stopped()) {
        RunEpoch();
      }
      compiled_.FinalizeWeights();
      callbacks_.Tell(&Callback::OnTrainEnd, last_logs_);
    } catch (...) {
      callbacks_.Close(/*quietly=*/true);
      throw;
    }
    callbacks_.Close(/*quietly=*/false);
    return history_;
  }

 private:
  // Workers have their own places in their data.
  static DistributedDataset NoPlace(CompiledModel& compiled) {
    return compiled.strategy().DistributeDataset(Dataset::Range(0).Batch(1));
  }

  void ValidateWith(SharedProgram& program, const TrainingData& data) {
    if (data.creator() != nullptr) {
      remote_validation_.emplace(compiled_, coordinator_,
                                 program.Data(*data.creator()), program.test());
    } else {
      local_validation_ = data.Distribute(compiled_.strategy(), {});
      CheckHasEnd("Fit", *local_validation_, options_.validation_steps,
                  "validation_steps");
    }
  }

  void RunEpoch() {
    const int epoch = progress_.epoch();
    compiled_.ResetMetrics();
    callbacks_.Tell(&Callback::OnEpochBegin, epoch);
    training_.Run(*options_.steps_per_epoch);
    Logs logs = compiled_.Results();
    if (options_.validation_data && options_.validation_freq.Includes(epoch)) {
      logs.Append(Validate(), "val_");
    }
    progress_.EpochDone(/*ends_pass=*/false);
    callbacks_.Tell(&Callback::OnEpochEnd, epoch, logs);
    history_.Add(epoch, logs);
    last_logs_ = logs;
  }

  Logs Validate() {
    if (remote_validation_) {
      return Test(compiled_, *remote_validation_, *options_.validation_steps,
                  callbacks_);
    }
    InputPlace pass(*local_validation_);
    return Measure(compiled_, pass, {.steps = options_.validation_steps},
                   callbacks_);
  }

  const FitOptions options_;
  CompiledModel& compiled_;
  const CallbackList callbacks_;
  FitProgress progress_;
  ClusterCoordinator coordinator_;
  RemoteSteps training_;
  std::optional<RemoteSteps> remote_validation_;
  std::optional<DistributedDataset> local_validation_;
  Logs last_logs_;
  History history_;
};

}  // namespace

ParameterServerStrategy* WorkersOf(const CompiledModel& compiled) {
  return dynamic_cast<ParameterServerStrategy*>(&compiled.strategy());
}

History FitOnWorkers(const Model& model, CompiledModel& compiled,
                     const TrainingData& data, const FitOptions& options) {
  const DatasetCreator& creator = CreatorOf("Fit", data);
  CheckOptions(options);
  compiled.CheckMetricNames();
  SharedProgram program(model, compiled);
  program.Build(creator);
  if (WorkersOf(compiled)->is_worker()) {
    program.Data(creator);
    if (options.validation_data && options.validation_data->creator()) {
      program.Data(*options.validation_data->creator());
    }
    WorkersOf(compiled)->Serve();
    return History();
  }
  return WorkerFit(model, compiled, program, data, options).Run();
}

Logs EvaluateOnWorkers(const Model& model, CompiledModel& compiled,
                       const TrainingData& data, const EvaluateOptions& options,
                       const CallbackList& callbacks) {
  const DatasetCreator& creator = CreatorOf("Evaluate", data);
  const int64_t steps = StepsOf("Evaluate", "steps", options.steps);
  SharedProgram program(model, compiled);
  program.Build(creator);
  const WorkerDataset batches = program.Data(creator);
  if (WorkersOf(compiled)->is_worker()) {
    WorkersOf(compiled)->Serve();
    return Logs();
  }
  ClusterCoordinator coordinator(*WorkersOf(compiled));
  RemoteSteps remote(compiled, coordinator, batches, program.test());
  return Test(compiled, remote, steps, callbacks);
}

}  // namespace lockstep
