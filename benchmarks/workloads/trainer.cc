#include "benchmarks/workloads/trainer.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "benchmarks/phase_clock.h"
#include "benchmarks/workloads/replica_devices.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/distribute/check_replicas_equal.h"
#include "reference/distribute/input/distribute_dataset.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/initializers/random_seed.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/scale_regularization_loss.h"
#include "reference/losses/sparse_categorical_crossentropy.h"
#include "reference/metrics/mean.h"
#include "reference/metrics/sparse_categorical_accuracy.h"

namespace lockstep::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

struct Trainer::State {
  State(const Workload& workload, const TrainerOptions& options)
      : workload(workload),
        options(options),
        global_batch_size(workload.images_per_replica * options.replicas),
        strategy(ReplicaDevices(options.device, options.replicas),
                 {.threads_per_replica = options.threads_per_replica}),
        train(DistributeDataset(strategy.devices(), TrainingData())),
        test(DistributeDataset(strategy.devices(), ToDataset(workload.data.test)
                                                       .Batch(global_batch_size)
                                                       .Prefetch(1))),
        clocks(options.replicas) {
    SetRandomSeed(options.seed);
    StrategyScope scope = strategy.Scope();
    model = workload.make_model();
    optimizer = workload.make_optimizer(global_batch_size);
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

  // What one replica does with its share of a batch; its part of the loss.
  Tensor TrainStep(const Structure& batch) {
    PhaseClock& clock = clocks[GetReplicaContext().replica_id_in_sync_group()];
    clock.Start();
    GradientTape tape;
    const Tensor logits = (*model)(batch[0].leaf(), /*training=*/true);
    const Tensor loss = WithPenalties(
        ComputeAverageLoss(cross_entropy(batch[1].leaf(), logits),
                           {.global_batch_size = global_batch_size}));
    clock.Mark(Phase::kForward);
    const auto gradients = tape.Gradient(optimizer->ScaleLoss(loss), weights);
    clock.Mark(Phase::kBackward);
    Apply(gradients, clock);
    train_accuracy->UpdateState(batch[1].leaf(), logits);
    clock.Mark(Phase::kOther);
    return loss;
  }

  Tensor WithPenalties(const Tensor& loss) const {
    const std::vector<Tensor> penalties = model->losses();
    return penalties.empty()
               ? loss
               : ops::Add(loss, ScaleRegularizationLoss(penalties));
  }

  // ApplyGradients in its two halves, so that each has a time of its own.
  void Apply(const std::vector<std::optional<Tensor>>& gradients,
             PhaseClock& clock) {
    std::vector<Tensor> local;
    for (const std::optional<Tensor>& gradient : gradients) {
      local.push_back(gradient.value());
    }
    std::vector<Tensor> summed =
        GetReplicaContext().AllReduce(ReduceOp::kSum, local);
    clock.Mark(Phase::kReduce);
    std::vector<GradientAndVariable> pairs;
    for (size_t i = 0; i < summed.size(); ++i) {
      pairs.emplace_back(std::move(summed[i]), weights[i]);
    }
    optimizer->ApplyGradients(pairs, /*skip_gradients_aggregation=*/true);
    clock.Mark(Phase::kApply);
  }

  void TestStep(const Structure& batch) {
    const Tensor logits = (*model)(batch[0].leaf(), /*training=*/false);
    test_loss->UpdateState(cross_entropy(batch[1].leaf(), logits));
    test_accuracy->UpdateState(batch[1].leaf(), logits);
  }

  // One measured step more, `waited` seconds of which went by before the input
  // was there.
  void CountStep(int64_t step_images, double seconds, double waited) {
    ++steps_seen;
    if (steps_seen <= workload.warmup_steps) {
      for (PhaseClock& clock : clocks) clock.Reset();
      return;
    }
    ++steps;
    input_seconds += waited;
    step_seconds += seconds;
    block_images += step_images;
    block_seconds += seconds;
    if (steps % workload.steps_per_block == 0) {
      blocks.push_back(static_cast<double>(block_images) / block_seconds);
      block_images = 0;
      block_seconds = 0;
    }
  }

  struct TrainedEpoch {
    double loss = 0;
    double seconds = 0;
    int64_t images = 0;
  };

  // Nothing when on_step wanted to stop.
  std::optional<TrainedEpoch> Train(const OnStep& on_step) {
    TrainedEpoch epoch;
    int64_t batches = 0;
    DistributedIterator iterator = train.MakeIterator();
    const Clock::time_point start = Clock::now();
    PerReplica<Structure> batch;
    while (true) {
      const Clock::time_point step_start = Clock::now();
      if (!iterator.Next(&batch)) break;
      const double waited = SecondsSince(step_start);
      const PerReplica<Tensor> losses = strategy.Run(
          [this](const Structure& part) { return TrainStep(part); }, batch);
      epoch.loss += strategy.Reduce(ReduceOp::kSum, losses).item<float>();
      ++batches;
      const int64_t step_images = RowsOf(batch);
      epoch.images += step_images;
      CountStep(step_images, SecondsSince(step_start), waited);
      if (!on_step(step_images)) return std::nullopt;
    }
    epoch.seconds = SecondsSince(start);
    epoch.loss /= static_cast<double>(std::max<int64_t>(batches, 1));
    return epoch;
  }

  static int64_t RowsOf(const PerReplica<Structure>& batch) {
    int64_t rows = 0;
    for (const Structure& part : batch) rows += part[1].leaf().dim(0);
    return rows;
  }

  void Evaluate() {
    for (const PerReplica<Structure>& batch : test) {
      strategy.Run([this](const Structure& part) { TestStep(part); }, batch);
    }
  }

  // Milliseconds a step of each phase, on the replica that was busy longest.
  std::array<double, kPhases> PhaseMilliseconds() const {
    std::array<double, kPhases> result{};
    if (steps == 0) return result;
    const auto busy = [](const PhaseClock& clock) {
      return clock.Total(Phase::kForward) + clock.Total(Phase::kBackward) +
             clock.Total(Phase::kReduce) + clock.Total(Phase::kApply);
    };
    const PhaseClock& slowest = *std::ranges::max_element(clocks, {}, busy);
    const double scale = 1000.0 / static_cast<double>(steps);
    double known = input_seconds;
    for (Phase phase :
         {Phase::kForward, Phase::kBackward, Phase::kReduce, Phase::kApply}) {
      result[static_cast<size_t>(phase)] = scale * slowest.Total(phase);
      known += slowest.Total(phase);
    }
    result[static_cast<size_t>(Phase::kInputWait)] = scale * input_seconds;
    result[static_cast<size_t>(Phase::kOther)] = scale * (step_seconds - known);
    return result;
  }

  const Workload workload;
  const TrainerOptions options;
  const int64_t global_batch_size;
  MirroredStrategy strategy;
  DistributedDataset train;
  DistributedDataset test;
  std::unique_ptr<Layer> model;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<SparseCategoricalAccuracy> train_accuracy;
  std::unique_ptr<SparseCategoricalAccuracy> test_accuracy;
  std::unique_ptr<Mean> test_loss;
  std::vector<VariablePtr> weights;
  const losses::SparseCategoricalCrossentropy cross_entropy{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};

  std::vector<PhaseClock> clocks;  // one a replica
  std::vector<EpochResult> epochs;
  std::vector<double> blocks;
  int64_t steps_seen = 0;  // with warm-up
  int64_t steps = 0;
  double input_seconds = 0;
  double step_seconds = 0;
  int64_t block_images = 0;
  double block_seconds = 0;
};

Trainer::Trainer(const Workload& workload, const TrainerOptions& options)
    : state_(std::make_unique<State>(workload, options)) {}

Trainer::~Trainer() = default;

std::optional<EpochResult> Trainer::TrainEpoch(const OnStep& on_step) {
  State& s = *state_;
  s.train_accuracy->ResetState();
  s.test_accuracy->ResetState();
  s.test_loss->ResetState();
  const std::optional<State::TrainedEpoch> trained = s.Train(on_step);
  if (!trained) return std::nullopt;
  s.Evaluate();
  EpochResult epoch;
  epoch.epoch_num = static_cast<int>(s.epochs.size()) + 1;
  epoch.loss = trained->loss;
  epoch.accuracy = 100 * s.train_accuracy->Result();
  epoch.test_loss = s.test_loss->Result();
  epoch.eval_accuracy = 100 * s.test_accuracy->Result();
  epoch.seconds = trained->seconds;
  epoch.images_per_second =
      static_cast<double>(trained->images) / trained->seconds;
  s.epochs.push_back(epoch);
  return epoch;
}

int64_t Trainer::images_per_epoch() const {
  const State& s = *state_;
  const int64_t images = s.workload.data.train.size();
  const int64_t of_steps = s.StepsPerEpoch() * s.global_batch_size;
  if (s.workload.steps_per_epoch > 0) return of_steps;
  return of_steps > 0 ? std::min(images, of_steps) : images;
}

TrainingResult Trainer::Result() const {
  const State& s = *state_;
  TrainingResult result;
  result.workload = s.workload.name;
  result.precision = s.workload.precision;
  result.device = s.options.device;
  result.optimizer = s.workload.optimizer;
  result.replicas = s.options.replicas;
  result.threads_per_replica = s.options.threads_per_replica;
  result.global_batch_size = s.global_batch_size;
  result.seed = s.options.seed;
  result.steps = s.steps;
  result.steps_per_block = s.workload.steps_per_block;
  result.epochs = s.epochs;
  result.blocks = s.blocks;
  result.phase_ms = s.PhaseMilliseconds();
  CheckReplicasEqual(s.weights);
  CheckReplicasEqual(s.optimizer->variables());
  result.copies_bitwise_equal = true;
  return result;
}

}  // namespace lockstep::benchmarks
