#include "benchmarks/workloads/training_loop.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/trace.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer_impl.h"
#include "reference/losses/loss.h"

namespace lockstep::benchmarks {

TrainingLoop::TrainingLoop(const Workload& workload,
                           const TrainerOptions& options,
                           const ChosenStrategy& chosen)
    : workload_(workload),
      options_(options),
      strategy_(chosen.strategy()),
      global_batch_size_(options.global_batch_size > 0
                             ? options.global_batch_size
                             : workload.images_per_replica *
                                   strategy_.num_replicas_in_sync()),
      train_(chosen.Distribute(TrainingData())),
      test_(chosen.Distribute(
          ToDataset(workload.data.test).Batch(global_batch_size_).Prefetch(1))),
      meter_(chosen.devices(), {.warmup_steps = workload.warmup_steps,
                                .steps_per_block = workload.steps_per_block,
                                .trace = options.trace,
                                .each_step = options.each_step}),
      graph_(strategy_, [this](const Structure& part) { TrainOnReplica(part); },
             {.capture = options.graph}) {
  MakeModel();
}

void TrainingLoop::MakeModel() {
  SetRandomSeed(options_.seed);
  ClearSession();  // layers have the same names on all workers
  StrategyScope scope = strategy_.Scope();
  model_ = workload_.make_model();
  optimizer_ = workload_.make_optimizer(global_batch_size_);
  step_.emplace(optimizer_,
                TrainingStepOptions{
                    .listener = [this](StepPhase phase) { Mark(phase); }});
  train_loss_ = std::make_unique<Mean>("train_loss");
  train_accuracy_ = std::make_unique<SparseCategoricalAccuracy>();
  test_accuracy_ = std::make_unique<SparseCategoricalAccuracy>();
  test_loss_ = std::make_unique<Mean>("test_loss");
  weights_ = model_->trainable_variables();
}

// Of an epoch; 0: the images once.
int TrainingLoop::StepsPerEpoch() const {
  return options_.steps_per_epoch > 0 ? options_.steps_per_epoch
                                      : workload_.steps_per_epoch;
}

Dataset TrainingLoop::TrainingData() const {
  Dataset examples = ToDataset(workload_.data.train)
                         .Shuffle(workload_.data.train.size(), options_.seed);
  if (workload_.steps_per_epoch > 0) examples = examples.Repeat();
  const Dataset batches = examples.Batch(global_batch_size_);
  return StepsPerEpoch() > 0 ? batches.Take(StepsPerEpoch()) : batches;
}

int64_t TrainingLoop::ImagesPerEpoch() const {
  const int64_t images = workload_.data.train.size();
  const int64_t of_steps = StepsPerEpoch() * global_batch_size_;
  if (workload_.steps_per_epoch > 0) return of_steps;
  return of_steps > 0 ? std::min(images, of_steps) : images;
}

std::optional<EpochResult> TrainingLoop::RunEpoch(const EpochHooks& hooks) {
  ResetMetrics();
  const std::optional<TrainedEpoch> trained = Train(hooks);
  if (!trained) return std::nullopt;
  Evaluate();
  EpochResult epoch;
  epoch.epoch_num = ++epochs_;
  // The mean over the steps of the global batch's loss; each replica counted
  // its part.
  epoch.loss = strategy_.num_replicas_in_sync() * train_loss_->Result();
  epoch.accuracy = 100 * train_accuracy_->Result();
  epoch.test_loss = test_loss_->Result();
  epoch.eval_accuracy = 100 * test_accuracy_->Result();
  epoch.seconds = trained->seconds;
  epoch.images_per_second =
      static_cast<double>(trained->images) / trained->seconds;
  return epoch;
}

void TrainingLoop::ResetMetrics() {
  train_loss_->ResetState();
  train_accuracy_->ResetState();
  test_accuracy_->ResetState();
  test_loss_->ResetState();
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
    const int64_t images = TrainStep(batch, epoch.images);
    epoch.images += images;
    const TraceClock::time_point end = TraceClock::now();
    if (!hooks.step_is_over(images)) return std::nullopt;
    in_hooks += TraceClock::now() - end;
  }
  meter_.EndEpoch();
  epoch.seconds =
      std::chrono::duration<double>(TraceClock::now() - start - in_hooks)
          .count();
  if (!hooks.steps_are_over()) return std::nullopt;
  return epoch;
}

// Returns its number of images.
int64_t TrainingLoop::TrainStep(const PerReplica<Structure>& batch,
                                int64_t images_before) {
  graph_.Run(batch);
  const bool is_share = options_.planted.share > 0;
  Spend(options_.planted, is_share ? meter_.StepCpuSeconds() : 0);
  const int64_t images = ImagesOf(batch, images_before);
  meter_.EndStep(images);
  return images;
}

// Of a step after so many images of its epoch. Those of other workers are not
// visible here; all batches but the last of an epoch are full.
int64_t TrainingLoop::ImagesOf(const PerReplica<Structure>& batch,
                               int64_t images_before) const {
  if (options_.workers) {
    return std::min(global_batch_size_, ImagesPerEpoch() - images_before);
  }
  int64_t rows = 0;
  for (const Structure& part : batch) rows += part[1].leaf().dim(0);
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
  step_->OnReplica([&] { return Forward(batch); });
}

ForwardPass TrainingLoop::Forward(const Structure& batch) {
  const Tensor logits = (*model_)(batch[0], /*training=*/true);
  const Tensor loss = WithPenalties(
      ComputeAverageLoss(cross_entropy_(batch[1], logits),
                         {.global_batch_size = global_batch_size_}));
  return {.loss = loss,
          .weights = weights_,
          .measure = [this, &batch, loss, logits] {
            train_loss_->UpdateState(loss);
            train_accuracy_->UpdateState(batch[1], logits);
          }};
}

Tensor TrainingLoop::WithPenalties(const Tensor& loss) const {
  const std::vector<Tensor> penalties = model_->losses();
  return penalties.empty() ? loss
                           : ops::Add(loss, ScaleRegularizationLoss(penalties));
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
    strategy_.Run([this](const Structure& part) { TestStep(part); }, batch);
  }
}

void TrainingLoop::TestStep(const Structure& batch) {
  const Tensor logits = (*model_)(batch[0], /*training=*/false);
  test_loss_->UpdateState(cross_entropy_(batch[1], logits));
  test_accuracy_->UpdateState(batch[1], logits);
}

}  // namespace lockstep::benchmarks
