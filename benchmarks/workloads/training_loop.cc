#include "benchmarks/workloads/training_loop.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "reference/base/trace.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::benchmarks {

TrainingLoop::TrainingLoop(const Workload& workload,
                           const TrainerOptions& options,
                           const ChosenStrategy& chosen)
    : workload_(workload),
      options_(options),
      strategy_(chosen.strategy()),
      global_batch_size_(options.global_batch_size > 0
                             ? options.global_batch_size
                             : workload.batch_per_replica *
                                   strategy_.num_replicas_in_sync()),
      chosen_(chosen),
      train_(
          chosen.Distribute(TrainingData(workload.data.train, options.seed))),
      test_(chosen.Distribute(
          workload.TestBatches(global_batch_size_).Prefetch(1))),
      meter_(chosen.devices(), {.warmup_steps = workload.warmup_steps,
                                .steps_per_block = workload.steps_per_block,
                                .trace = options.trace,
                                .each_step = options.each_step}),
      graph_(strategy_, [this](const Structure& part) { TrainOnReplica(part); },
             {.capture = options.graph}) {
  MakeTask();
}

void TrainingLoop::MakeTask() {
  SetRandomSeed(options_.seed);
  ClearSession();  // layers have the same names on all workers
  StrategyScope scope = strategy_.Scope();
  task_ = workload_.make_task();
  optimizer_ =
      workload_.make_optimizer({.global_batch_size = global_batch_size_,
                                .steps = StepsPerEpoch() * options_.epochs});
  step_.emplace(optimizer_,
                TrainingStepOptions{
                    .listener = [this](StepPhase phase) { Mark(phase); }});
}

int64_t TrainingLoop::StepsPerEpoch() const {
  return workload_.StepsPerEpoch(global_batch_size_, options_.steps_per_epoch);
}

Dataset TrainingLoop::TrainingData(const Dataset& examples,
                                   uint64_t seed) const {
  Dataset shuffled = examples.Shuffle(workload_.data.train_size, seed);
  if (workload_.steps_per_epoch > 0) shuffled = shuffled.Repeat();
  return workload_.Batches(shuffled, global_batch_size_).Take(StepsPerEpoch());
}

void TrainingLoop::DrawTrainingData(int epoch) {
  if (!workload_.data.train_of_epoch || epoch == 0) return;
  const Dataset examples = workload_.data.train_of_epoch(epoch);
  train_ = chosen_.Distribute(TrainingData(examples, options_.seed + epoch));
}

int64_t TrainingLoop::ExamplesPerEpoch() const {
  const int64_t of_steps = StepsPerEpoch() * global_batch_size_;
  return workload_.steps_per_epoch > 0
             ? of_steps
             : std::min(workload_.data.train_size, of_steps);
}

std::optional<EpochResult> TrainingLoop::RunEpoch(const EpochHooks& hooks) {
  task_->ResetFigures();
  DrawTrainingData(epochs_);
  const std::optional<TrainedEpoch> trained = Train(hooks);
  if (!trained) return std::nullopt;
  Evaluate();
  EpochResult epoch;
  const TaskFigures figures = Figures();
  epoch.epoch_num = ++epochs_;
  epoch.loss = figures.loss;
  epoch.quality = figures.quality;
  epoch.test_loss = figures.test_loss;
  epoch.test_quality = figures.test_quality;
  epoch.seconds = trained->seconds;
  epoch.items_per_second =
      static_cast<double>(trained->examples) / trained->seconds;
  return epoch;
}

TaskFigures TrainingLoop::Figures() const {
  const StrategyScope scope = strategy_.Scope();
  return task_->Figures();
}

// Nothing when a hook stopped it.
std::optional<TrainingLoop::TrainedEpoch> TrainingLoop::Train(
    const EpochHooks& hooks) {
  TrainedEpoch epoch;
  DistributedIterator iterator = train_.MakeIterator();
  TraceClock::duration in_hooks{};
  const TraceClock::time_point start = TraceClock::now();
  PerReplica<Structure> batch;
  while (true) {
    meter_.BeginStep();
    if (!iterator.Next(&batch)) break;
    meter_.InputIsThere();
    const int64_t examples = TrainStep(batch, epoch.examples);
    epoch.examples += examples;
    const TraceClock::time_point end = TraceClock::now();
    if (!hooks.step_is_over(examples)) return std::nullopt;
    in_hooks += TraceClock::now() - end;
  }
  meter_.EndEpoch();
  epoch.seconds =
      std::chrono::duration<double>(TraceClock::now() - start - in_hooks)
          .count();
  if (!hooks.steps_are_over()) return std::nullopt;
  return epoch;
}

// Returns its number of examples.
int64_t TrainingLoop::TrainStep(const PerReplica<Structure>& batch,
                                int64_t examples_before) {
  graph_.Run(batch);
  const bool is_share = options_.planted.share > 0;
  Spend(options_.planted, is_share ? meter_.StepCpuSeconds() : 0);
  const int64_t examples = ExamplesOf(batch, examples_before);
  meter_.EndStep(examples);
  return examples;
}

// Of a step after so many examples of its epoch. Those of other workers are not
// visible here; all batches but the last of an epoch are full.
int64_t TrainingLoop::ExamplesOf(const PerReplica<Structure>& batch,
                                 int64_t examples_before) const {
  if (options_.workers) {
    return std::min(global_batch_size_, ExamplesPerEpoch() - examples_before);
  }
  int64_t rows = 0;
  for (const Structure& part : batch) rows += part.Flatten()[0].dim(0);
  return rows;
}

// True for the first step, which is no graph yet, of one replica on a GPU.
bool TrainingLoop::RecordsLibraryCalls() const {
  return options_.mirrored && options_.replicas == 1 &&
         options_.device == "gpu" && graph_.statistics().eager_steps == 0;
}

// What one replica does with its share of a batch. On a GPU it is only queued:
// nothing here may wait for it.
void TrainingLoop::TrainOnReplica(const Structure& batch) {
  const int replica = GetReplicaContext().local_index();
  const TraceScope trace(meter_.track(replica));
  const LibraryCalls::Scope calls(RecordsLibraryCalls() ? &library_calls_
                                                        : nullptr);
  meter_.clock(replica).Start();
  step_->OnReplica([&] { return task_->Forward(batch, global_batch_size_); });
}

void TrainingLoop::Mark(StepPhase phase) {
  static constexpr std::array kPhaseOf = {Phase::kForward, Phase::kBackward,
                                          Phase::kReduce, Phase::kApply,
                                          Phase::kOther};
  meter_.clock(GetReplicaContext().local_index())
      .Mark(kPhaseOf.at(static_cast<size_t>(phase)));
}

void TrainingLoop::Evaluate() {
  for (const PerReplica<Structure>& batch : test_) {
    strategy_.Run([this](const Structure& part) { task_->Test(part); }, batch);
  }
}

}  // namespace lockstep::benchmarks
