#include "reference/optimizers/loss_scale_optimizer.h"

#include <cmath>
#include <span>
#include <utility>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/optimizer/loss_scale.h"

namespace lockstep {
LossScaleOptimizer::LossScaleOptimizer(
    std::shared_ptr<Optimizer> inner_optimizer, const LossScaleOptions& config)
    : Optimizer(0.0, {.name = config.name}, {}),
      inner_(std::move(inner_optimizer)),
      config_(config) {
  if (inner_ == nullptr) {
    throw InvalidArgument("[LossScaleOptimizer] there is no inner optimizer");
  }
  if (inner_->Stages().unscale) {
    throw InvalidArgument(
        "[LossScaleOptimizer] the inner optimizer scales the loss already");
  }
  // As the float in which it is stored.
  const auto initial_scale = static_cast<float>(config.initial_scale);
  if (!(initial_scale > 0 && std::isfinite(initial_scale))) {
    throw InvalidArgument(
        "[LossScaleOptimizer] initial_scale must be positive and finite in "
        "float32, got {}",
        config.initial_scale);
  }
  if (config.dynamic_growth_steps < 1) {
    throw InvalidArgument(
        "[LossScaleOptimizer] dynamic_growth_steps must be positive, got {}",
        config.dynamic_growth_steps);
  }
  TrackChild("inner_optimizer", *inner_);
  // Made here, not with the slots, as a restored value must be in effect for
  // the first loss.
  step_counter_ =
      AddCounter("step_counter", "step_counter", Tensor::Scalar<int64_t>(0));
  dynamic_scale_ = AddCounter("dynamic_scale", "dynamic_scale",
                              Tensor::Scalar(initial_scale));
}

double LossScaleOptimizer::loss_scale() const {
  return dynamic_scale_->Read().item<float>();
}

Tensor LossScaleOptimizer::ScaleLoss(const Tensor& loss) const {
  const Tensor wide = ops::Widened(loss);
  // A copy, as the tape may keep it while the scale is changed in place.
  const Tensor scale = dynamic_scale_->Read().Clone(wide.device());
  return ops::Multiply(wide, scale.Cast(wide.dtype()));
}

void LossScaleOptimizer::MakeSlots(const std::vector<VariablePtr>& variables) {
  inner_->Build(variables);
  Optimizer::MakeSlots(variables);
}

OptimizerPipeline LossScaleOptimizer::Stages() {
  OptimizerPipeline stages = inner_->Stages();
  stages.unscale = [this](OptimizerStep& step) { Unscale(step.gradients); };
  stages.decide = [](OptimizerStep& step) {
    step.taken = kernels::AllFinite(step.gradients);
  };
  stages.update_loss_scale = [this](OptimizerStep& step) {
    UpdateLossScale(step.taken);
  };
  return stages;
}

void LossScaleOptimizer::Unscale(std::vector<Tensor>& gradients) const {
  const Tensor scale = dynamic_scale_->Read();
  for (Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    gradient = kernels::Divide(gradient, scale.Cast(gradient.dtype()));
  }
}

void LossScaleOptimizer::UpdateLossScale(const Tensor& finite) {
  UpdateTogether(
      "UpdateLossScale", {dynamic_scale_.get(), step_counter_.get()},
      {&finite, 1},
      [growth_steps = config_.dynamic_growth_steps](
          std::span<Tensor* const> values, std::span<const Tensor> inputs) {
        kernels::UpdateLossScale(inputs[0], growth_steps, *values[0],
                                 *values[1]);
      });
}

std::vector<VariablePtr> LossScaleOptimizer::variables() const {
  std::vector<VariablePtr> all = Optimizer::variables();
  all.insert(all.end(), {step_counter_, dynamic_scale_});
  const std::vector<VariablePtr> inner = inner_->variables();
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

ObjectConfig LossScaleOptimizer::Config() const {
  return {"LossScaleOptimizer",
          {{"name", config_.name},
           {"inner_optimizer",
            std::make_shared<const ObjectConfig>(inner_->Config())},
           {"initial_scale", config_.initial_scale},
           {"dynamic_growth_steps", config_.dynamic_growth_steps}}};
}

}  // namespace lockstep
