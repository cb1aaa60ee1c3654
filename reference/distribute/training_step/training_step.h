// The training step: where N replicas learn as one would.
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
// A global batch is divided over the replicas. With its part each of them does
// this, in this order:
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
// Because what is summed is the gradient of the one loss, and everything after
// the sum is a function of the sums and of copies that are equal, the copies
// stay equal, and N replicas do what one would with the whole batch.
//
// From unscale to follow up it is Optimizer::ApplyGradients, which a loop
// written by hand calls itself. On a GPU gradients are summed while the
// backward pass goes on (gradient_buckets.h), unless they have to be unscaled
// first.
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

// What a replica makes of its part of a batch.
struct ForwardPass {
  // This replica's part of the loss, which is differentiated.
  Tensor loss;
  // What learns from it.
  std::vector<VariablePtr> weights;
  // How many examples the global batch counts as in its window, a float32 scalar
  // that is the same on all replicas. Not used without accumulation.
  Tensor examples = {};
  // Called after the update.
  std::function<void()> measure = nullptr;
};

// What a listener hears the end of, in this order. A step that only accumulates
// has no kSum and no kUpdate.
enum class StepPhase { kForward, kBackward, kSum, kUpdate, kMeasure };

struct TrainingStepOptions {
  // Batches whose gradients are one.
  int accumulation_steps = 1;
  // Called on each replica's thread, within its part of the step. On a GPU a
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

  // Makes room for a window's gradients of these weights; no effect without
  // accumulation, and when it is there. REQUIRES: in the strategy's scope.
  void Build(const std::vector<VariablePtr>& weights);

  // A batch follows. REQUIRES: cross-replica context, before OnReplica. Without
  // accumulation it need not be called.
  void BeginBatch();

  // This replica's part of the step. Errors: those of `forward`, and of
  // Optimizer::ApplyGradients. REQUIRES: replica context, on all replicas.
  void OnReplica(const std::function<ForwardPass()>& forward);

  // What a checkpoint keeps of a window that is not full.
  GradientAccumulator& window() { return window_; }
  // The gradients of the batches of this window so far, over all replicas and
  // without the loss scale; nothing for weights without one. REQUIRES:
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
