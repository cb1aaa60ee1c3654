#include "benchmarks/workloads/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/measurement/library_time.h"
#include "benchmarks/measurement/step_meter.h"
#include "benchmarks/workloads/worker_results.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/step_graph/step_graph.h"
#include "reference/distribute/training_step/training_step.h"
#include "reference/distribute/variables/distributed_variable_creation.h"
#include "reference/kernels/gpu_libraries.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer_impl.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/metric.h"

namespace lockstep::benchmarks {

struct Trainer::State {
  State(const Workload& workload, const TrainerOptions& options,
        const ChosenStrategy& chosen)
      : workload(workload),
        options(options),
        strategy(chosen.strategy()),
        global_batch_size(options.global_batch_size > 0
                              ? options.global_batch_size
                              : workload.images_per_replica *
                                    strategy.num_replicas_in_sync()),
        train(chosen.Distribute(TrainingData())),
        test(chosen.Distribute(ToDataset(workload.data.test)
                                   .Batch(global_batch_size)
                                   .Prefetch(1))),
        meter(chosen.devices(), {.warmup_steps = workload.warmup_steps,
                                 .steps_per_block = workload.steps_per_block,
                                 .trace = options.trace,
                                 .each_step = options.each_step}),
        graph(strategy, [this](const Structure& part) { TrainOnReplica(part); },
              {.capture = options.graph}) {
    SetRandomSeed(options.seed);
    ClearSession();  // layers have the same names on all workers
    StrategyScope scope = strategy.Scope();
    model = workload.make_model();
    optimizer = workload.make_optimizer(global_batch_size);
    training_step.emplace(
        optimizer, TrainingStepOptions{
                       .listener = [this](StepPhase phase) { Mark(phase); }});
    train_loss = std::make_unique<Mean>("train_loss");
    train_accuracy = std::make_unique<SparseCategoricalAccuracy>();
    test_accuracy = std::make_unique<SparseCategoricalAccuracy>();
    test_loss = std::make_unique<Mean>("test_loss");
    weights = model->trainable_variables();
  }

  // Steps of an epoch; 0: the images once.
  int StepsPerEpoch() const {
    return options.steps_per_epoch > 0 ? options.steps_per_epoch
                                       : workload.steps_per_epoch;
  }

  Dataset TrainingData() const {
    Dataset examples = ToDataset(workload.data.train)
                           .Shuffle(workload.data.train.size(), options.seed);
    if (workload.steps_per_epoch > 0) examples = examples.Repeat();
    const Dataset batches = examples.Batch(global_batch_size);
    return StepsPerEpoch() > 0 ? batches.Take(StepsPerEpoch()) : batches;
  }

  // The first step, which is no graph yet, of one replica on a GPU.
  bool TellsCalls() const {
    return options.mirrored && options.replicas == 1 &&
           options.device == "gpu" && graph.statistics().eager_steps == 0;
  }

  // What one replica does with its share of a batch. On a GPU it is only queued:
  // nothing here may wait for it.
  void TrainOnReplica(const Structure& batch) {
    const int replica = GetReplicaContext().local_index();
    const TraceScope trace(meter.track(replica));
    const LibraryCalls::Scope calls(TellsCalls() ? &library_calls : nullptr);
    meter.clock(replica).Start();
    training_step->OnReplica([&] { return Forward(batch); });
  }

  ForwardPass Forward(const Structure& batch) {
    const Tensor logits = (*model)(batch[0], /*training=*/true);
    const Tensor loss = WithPenalties(
        ComputeAverageLoss(cross_entropy(batch[1], logits),
                           {.global_batch_size = global_batch_size}));
    return {.loss = loss,
            .weights = weights,
            .measure = [this, &batch, loss, logits] {
              train_loss->UpdateState(loss);
              train_accuracy->UpdateState(batch[1], logits);
            }};
  }

  void Mark(StepPhase phase) {
    static constexpr std::array kPhaseOf = {Phase::kForward, Phase::kBackward,
                                            Phase::kReduce, Phase::kApply,
                                            Phase::kOther};
    meter.clock(GetReplicaContext().local_index())
        .Mark(kPhaseOf.at(static_cast<size_t>(phase)));
  }

  Tensor WithPenalties(const Tensor& loss) const {
    const std::vector<Tensor> penalties = model->losses();
    return penalties.empty()
               ? loss
               : ops::Add(loss, ScaleRegularizationLoss(penalties));
  }

  void TestStep(const Structure& batch) {
    const Tensor logits = (*model)(batch[0], /*training=*/false);
    test_loss->UpdateState(cross_entropy(batch[1], logits));
    test_accuracy->UpdateState(batch[1], logits);
  }

  struct TrainedEpoch {
    double seconds = 0;
    int64_t images = 0;
  };

  // Nothing when a hook wanted to stop.
  std::optional<TrainedEpoch> Train(const EpochHooks& hooks) {
    TrainedEpoch epoch;
    DistributedIterator iterator = train.MakeIterator();
    TraceClock::duration in_hooks{};
    const TraceClock::time_point start = TraceClock::now();
    PerReplica<Structure> batch;
    while (true) {
      meter.BeginStep();
      if (!iterator.Next(&batch)) break;
      meter.InputIsThere();
      graph.Run(batch);
      const bool is_share = options.planted.share > 0;
      Spend(options.planted, is_share ? meter.StepCpuSeconds() : 0);
      const int64_t step_images = ImagesOf(batch, epoch.images);
      epoch.images += step_images;
      meter.EndStep(step_images);
      const TraceClock::time_point end = TraceClock::now();
      if (!hooks.step_is_over(step_images)) return std::nullopt;
      in_hooks += TraceClock::now() - end;
    }
    meter.EndEpoch();
    epoch.seconds =
        std::chrono::duration<double>(TraceClock::now() - start - in_hooks)
            .count();
    if (!hooks.steps_are_over()) return std::nullopt;
    return epoch;
  }

  // Training images of one epoch.
  int64_t ImagesPerEpoch() const {
    const int64_t images = workload.data.train.size();
    const int64_t of_steps = StepsPerEpoch() * global_batch_size;
    if (workload.steps_per_epoch > 0) return of_steps;
    return of_steps > 0 ? std::min(images, of_steps) : images;
  }

  // Of a step behind so many images of its epoch. Other workers' are not seen
  // here; but for an epoch's last batch all are full.
  int64_t ImagesOf(const PerReplica<Structure>& batch, int64_t behind) const {
    if (options.workers) {
      return std::min(global_batch_size, ImagesPerEpoch() - behind);
    }
    int64_t rows = 0;
    for (const Structure& part : batch) rows += part[1].leaf().dim(0);
    return rows;
  }

  void Evaluate() {
    for (const PerReplica<Structure>& batch : test) {
      strategy.Run([this](const Structure& part) { TestStep(part); }, batch);
    }
  }

  // The mean over the steps of the loss of the global batch, of which every
  // replica counted its part.
  double TrainLoss() const {
    return strategy.num_replicas_in_sync() * train_loss->Result();
  }

  const Workload workload;
  const TrainerOptions options;
  Strategy& strategy;
  const int64_t global_batch_size;
  DistributedDataset train;
  DistributedDataset test;
  std::optional<Layer> model;
  std::shared_ptr<Optimizer> optimizer;
  std::optional<TrainingStep> training_step;
  std::unique_ptr<Mean> train_loss;
  std::unique_ptr<SparseCategoricalAccuracy> train_accuracy;
  std::unique_ptr<SparseCategoricalAccuracy> test_accuracy;
  std::unique_ptr<Mean> test_loss;
  std::vector<VariablePtr> weights;
  const losses::SparseCategoricalCrossentropy cross_entropy{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};

  LibraryCalls library_calls;  // of a step
  StepMeter meter;
  StepGraph<void> graph;
  std::vector<EpochResult> epochs;
  bool given_up = false;  // the other workers
};

Trainer::Trainer(const Workload& workload, const TrainerOptions& options)
    : chosen_(std::make_unique<ChosenStrategy>(
          StrategyChoice{.device = options.device,
                         .replicas = options.replicas,
                         .threads_per_replica = options.threads_per_replica,
                         .mirrored = options.mirrored,
                         .workers = options.workers})) {
  const ChosenStrategy::Here here(*chosen_);
  state_ = std::make_unique<State>(workload, options, *chosen_);
}

Trainer::~Trainer() = default;

std::optional<EpochResult> Trainer::TrainEpoch(const EpochHooks& hooks) {
  const ChosenStrategy::Here here(*chosen_);
  State& s = *state_;
  if (workers()) workers()->control->Barrier("epoch", kNoDeadline);
  s.train_loss->ResetState();
  s.train_accuracy->ResetState();
  s.test_accuracy->ResetState();
  s.test_loss->ResetState();
  const std::optional<State::TrainedEpoch> trained = s.Train(hooks);
  if (!trained) return std::nullopt;
  s.Evaluate();
  EpochResult epoch;
  epoch.epoch_num = static_cast<int>(s.epochs.size()) + 1;
  epoch.loss = s.TrainLoss();
  epoch.accuracy = 100 * s.train_accuracy->Result();
  epoch.test_loss = s.test_loss->Result();
  epoch.eval_accuracy = 100 * s.test_accuracy->Result();
  epoch.seconds = trained->seconds;
  epoch.images_per_second =
      static_cast<double>(trained->images) / trained->seconds;
  s.epochs.push_back(epoch);
  return epoch;
}

int64_t Trainer::images_per_epoch() const { return state_->ImagesPerEpoch(); }

int64_t Trainer::steps_per_epoch() const {
  const int64_t batch = state_->global_batch_size;
  return (images_per_epoch() + batch - 1) / batch;
}

TrainingResult Trainer::ResultSoFar() const {
  const State& s = *state_;
  TrainingResult result;
  result.workload = s.workload.name;
  result.precision = s.workload.precision;
  result.device = s.options.device;
  result.mirrored = s.options.mirrored;
  result.optimizer = s.workload.optimizer;
  result.workers = s.strategy.topology().num_workers();
  result.replicas = s.options.replicas;
  result.threads_per_replica = s.options.threads_per_replica;
  result.global_batch_size = s.global_batch_size;
  result.seed = s.options.seed;
  result.epochs = s.epochs;
  s.meter.Describe(result);
  if (s.options.device == "gpu") {
    const StepGraphStatistics& counts = s.graph.statistics();
    result.step_graphs = {.eager_steps = counts.eager_steps,
                          .captures = counts.captures,
                          .launches = counts.launches};
  }
  return result;
}

const ConnectedWorkers* Trainer::workers() const {
  const auto& workers = state_->options.workers;
  return workers && !state_->given_up ? &*workers : nullptr;
}

void Trainer::GiveUp() {
  if (workers()) workers()->control->Abort("the benchmark was interrupted");
  state_->given_up = true;
}

std::vector<std::string> Trainer::Exchange(const std::string& name,
                                           const std::string& mine) const {
  constexpr std::chrono::minutes kLimit{1};
  return workers()->control->Exchange(
      name, mine, std::chrono::steady_clock::now() + kLimit);
}

// Each worker compares its copies with the chief's.
void Trainer::CheckWorkersEqual() const {
  std::vector<VariablePtr> variables = state_->weights;
  for (const VariablePtr& variable : state_->optimizer->variables()) {
    variables.push_back(variable);
  }
  TensorList mine;
  for (const VariablePtr& variable : variables) {
    mine.push_back(variable->Read());
  }
  const TensorList chiefs =
      workers()->between->Broadcast(mine, /*root=*/0, {}).Wait();
  for (size_t i = 0; i < variables.size(); ++i) {
    if (BitwiseEqual(chiefs[i], mine[i])) continue;
    throw Internal("[Trainer] variable '{}' differs between worker 0 and {}",
                   variables[i]->name(), workers()->topology.worker().value());
  }
}

TrainingResult Trainer::Result() const {
  TrainingResult result = ResultSoFar();
  CheckReplicasEqual(state_->weights);
  CheckReplicasEqual(state_->optimizer->variables());
  result.copies_bitwise_equal = !state_->options.workers || workers();
  if (!workers()) return result;
  CheckWorkersEqual();
  return OfAllWorkers(result, Exchange("measured", MeasuredText(result)));
}

std::optional<LibraryTime> Trainer::TimeLibraries() const {
  const LibraryCalls& calls = state_->library_calls;
  if (calls.list().empty()) return std::nullopt;
  return TimeLibraryCalls(*chosen_->devices()[0], calls);
}

TraceProcess Trainer::Trace() const {
  const State& s = *state_;
  const int num_workers = s.strategy.topology().num_workers();
  const std::string name = fmt::format(
      "{}{}, {} replica{}{}, global batch {}", s.workload.name,
      num_workers == 1 ? "" : fmt::format(", {} workers", num_workers),
      s.options.replicas, s.options.replicas == 1 ? "" : "s",
      s.options.mirrored ? "" : " without a strategy", s.global_batch_size);
  const TraceProcess here = s.meter.Trace(name);
  if (!workers()) return here;
  return TraceOfAllWorkers(name, Exchange("traced", TraceText(here)));
}

}  // namespace lockstep::benchmarks
