// The training step, with which N replicas train as one.
//
//   TrainingStep step(optimizer);
//   strategy.Run(
//       [&](const Structure& part) {
//         step.OnReplica([&] {
//           const Tensor logits = model(part[0], /*training=*/true);
//           return ForwardPass{
//               .loss = ComputeAverageLoss(cross_entropy(part[1], logits),
//                                          {.global_batch_size = 128}),
//               .weights = model.trainable_variables(),
//               .measure = [=] { accuracy->UpdateState(part[1], logits); }};
//         });
//       },
//       batch);
//
// A global batch is divided among the replicas. Each replica processes its part
// in this order:
//
//   forward     outputs, and this replica's part of the loss: the parts of all
//               replicas add up to the loss of the global batch
//   backward    gradients of the part, multiplied by the loss scale, if any
//   accumulate  over a window of batches, if asked to; a step ends here for all
//               but the last batch of the window
//   unscale     divides them by the loss scale
//   sum         over the replicas: the gradients of the global batch, the same
//               bits on every replica
//   decide      whether the step is taken: on all replicas or on none
//   clip        the sums
//   update      the weights and the optimizer's state, each replica its copies
//   follow up   moving averages of weights; the loss scale
//   measure     metrics
//
// The sums are the gradients of the loss of the whole batch. Everything after
// the sum depends only on the sums and on copies that are equal on all
// replicas. So the copies stay equal, and N replicas compute what one replica
// would with the whole batch.
//
// Optimizer::ApplyGradients does the phases from unscale to follow up; a custom
// training loop calls it directly. On a GPU gradients are summed during the
// backward pass (gradient_buckets.h), unless they must be unscaled first.
//
// A StepGraph whose function calls OnReplica captures and replays the step.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_TRAINING_STEP_TRAINING_STEP_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_TRAINING_STEP_TRAINING_STEP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/variable.h"
#include "reference/optimizers/gradient_accumulator.h"
#include "reference/optimizers/optimizer.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// The result of a replica's forward pass over its part of a batch.
struct ForwardPass {
  // This replica's part of the loss, which is differentiated.
  Tensor loss;
  // The variables to update.
  std::vector<VariablePtr> weights;
  // The weight of the global batch in its window, usually its number of
  // examples: a float32 scalar, the same on all replicas. Used only with
  // accumulation.
  Tensor examples = {};
  // Called after the update.
  std::function<void()> measure = nullptr;
};

// The phases whose end a listener observes, in this order. A step that only
// accumulates has no kSum and no kUpdate.
enum class StepPhase { kForward, kBackward, kSum, kUpdate, kMeasure };

struct TrainingStepOptions {
  // Number of batches whose gradients are accumulated to one.
  int accumulation_steps = 1;
  // Called on each replica's thread during its part of the step. On a GPU a
  // phase ends when it is enqueued.
  std::function<void(StepPhase)> listener = nullptr;
};

class TrainingStep {
 public:
  // REQUIRES: made in the scope of the strategy. Errors: InvalidArgument for
  // accumulation_steps below 1.
  explicit TrainingStep(std::shared_ptr<Optimizer> optimizer,
                        const TrainingStepOptions& options = {});

  Optimizer& optimizer() const { return *optimizer_; }

  // Makes the variables for the accumulated gradients of these weights. No
  // effect without accumulation, or if they exist. REQUIRES: in the strategy's
  // scope.
  void Build(const std::vector<VariablePtr>& weights);

  // Begins a batch. REQUIRES: cross-replica context, before OnReplica. Optional
  // without accumulation.
  void BeginBatch();

  // This replica's part of the step. Errors: those of `forward`, and of
  // Optimizer::ApplyGradients. REQUIRES: replica context, on all replicas.
  void OnReplica(const std::function<ForwardPass()>& forward);

  // The state of an incomplete window, for checkpoints.
  GradientAccumulator& window() { return window_; }
  // The gradients of the batches of this window so far, over all replicas and
  // without the loss scale; nullopt for weights without one. REQUIRES:
  // cross-replica context.
  Gradients WindowGradients(const std::vector<VariablePtr>& weights) const;

 private:
  void Ended(StepPhase phase) const {
    if (options_.listener) options_.listener(phase);
  }
  // Where gradients are summed: in buckets during the backward pass, or by the
  // optimizer after it. REQUIRES: replica context.
  bool SumsDuringBackward() const;
  // The rest of the step after the forward pass.
  void Learn(const ForwardPass& pass, GradientTape& tape);
  void LearnFromBuckets(const ForwardPass& pass, GradientTape& tape);
  void Accumulate(const ForwardPass& pass, GradientTape& tape);
  void Update(const std::vector<GradientAndVariable>& gradients, bool are_sums);

  const std::shared_ptr<Optimizer> optimizer_;
  const TrainingStepOptions options_;
  GradientAccumulator window_;
  const bool unscales_;  // the optimizer divides gradients before their sum
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_TRAINING_STEP_TRAINING_STEP_H_
