#include "reference/distribute/training_step/training_step.h"

#include <utility>
#include <variant>

#include "reference/autodiff/indexed_slices.h"
#include "reference/distribute/gradient_buckets.h"
#include "reference/distribute/strategy.h"

namespace lockstep {

TrainingStep::TrainingStep(std::shared_ptr<Optimizer> optimizer,
                           const TrainingStepOptions& options)
    : optimizer_(std::move(optimizer)),
      options_(options),
      window_(options.accumulation_steps),
      unscales_(static_cast<bool>(optimizer_->Stages().unscale)) {}

void TrainingStep::Build(const std::vector<VariablePtr>& weights) {
  if (window_.steps() > 1) window_.Build(weights);
}

void TrainingStep::BeginBatch() { window_.Next(); }

void TrainingStep::OnReplica(const std::function<ForwardPass()>& forward) {
  GradientTape tape;
  const ForwardPass pass = forward();
  Ended(StepPhase::kForward);
  if (window_.steps() > 1) {
    Accumulate(pass, tape);
  } else if (SumsDuringBackward()) {
    LearnFromBuckets(pass, tape);
  } else {
    Learn(pass, tape);
  }
  if (pass.measure) pass.measure();
  Ended(StepPhase::kMeasure);
}

bool TrainingStep::SumsDuringBackward() const {
  return !unscales_ && Device::Current().kind() == DeviceKind::kGpu;
}

void TrainingStep::Learn(const ForwardPass& pass, GradientTape& tape) {
  VariableGradients gradients =
      tape.SparseGradient(optimizer_->ScaleLoss(pass.loss), pass.weights);
  Ended(StepPhase::kBackward);
  Update(ZipRows(std::move(gradients), pass.weights), /*are_sums=*/false);
}

void TrainingStep::Accumulate(const ForwardPass& pass, GradientTape& tape) {
  Gradients means =
      window_.Add(tape.Gradient(optimizer_->ScaleLoss(pass.loss), pass.weights),
                  pass.examples);
  Ended(StepPhase::kBackward);
  if (!window_.at_end()) return;
  Update(Zip(std::move(means), pass.weights), /*are_sums=*/false);
}

// Sums gradients of tensors as they become ready, and those of rows at the end.
void TrainingStep::LearnFromBuckets(const ForwardPass& pass,
                                    GradientTape& tape) {
  GradientBuckets buckets(GetReplicaContext(), pass.weights.size());
  VariableGradients gradients =
      tape.SparseGradient(pass.loss, pass.weights, buckets.on_ready());
  Ended(StepPhase::kBackward);
  Gradients sums = buckets.Finish();
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i]) gradients[i] = *std::move(sums[i]);
    if (!gradients[i]) continue;
    const auto* rows = std::get_if<IndexedSlices>(&*gradients[i]);
    if (rows != nullptr) gradients[i] = GetReplicaContext().SumRows(*rows);
  }
  Update(ZipRows(std::move(gradients), pass.weights), /*are_sums=*/true);
}

void TrainingStep::Update(const std::vector<GradientAndVariable>& gradients,
                          bool are_sums) {
  optimizer_->ApplyGradients(
      gradients, {.skip_gradients_aggregation = are_sums,
                  .when_summed = [this] { Ended(StepPhase::kSum); }});
  Ended(StepPhase::kUpdate);
}

Gradients TrainingStep::WindowGradients(
    const std::vector<VariablePtr>& weights) const {
  OptimizerStep step;
  step.variables = weights;
  for (const std::optional<Tensor>& gradient : window_.SoFar()) {
    step.gradients.push_back(gradient.value_or(Tensor()));
  }
  const OptimizerPipeline stages = optimizer_->Stages();
  if (stages.unscale) stages.unscale(step);
  Gradients gradients;
  for (Tensor& gradient : step.gradients) {
    gradients.push_back(gradient.defined() ? std::optional(std::move(gradient))
                                           : std::nullopt);
  }
  return gradients;
}

}  // namespace lockstep
