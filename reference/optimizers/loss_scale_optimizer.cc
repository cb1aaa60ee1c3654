#include "reference/optimizers/loss_scale_optimizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/reshape.h"
#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/kernels/binary.h"
#include "reference/tensor/change_on_host.h"

namespace lockstep {
namespace {

bool IsFinite(const Tensor& gradient) {
  const Tensor tensor = gradient.ToHost();
  return VisitDType(tensor.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      return std::ranges::all_of(tensor.span<T>(),
                                 [](T x) { return std::isfinite(x); });
    } else {
      return true;
    }
  });
}

template <typename T>
void SetLocal(Variable& variable, T value) {
  ChangeOnHost(variable.MutableLocalValue(),
               [value](Tensor& t) { *t.mutable_data<T>() = value; });
}

}  // namespace

LossScaleOptimizer::LossScaleOptimizer(
    std::shared_ptr<Optimizer> inner_optimizer, const LossScaleConfig& config)
    : Optimizer(0.0, {.name = config.name}, {}),
      inner_(std::move(inner_optimizer)),
      config_(config) {
  if (inner_ == nullptr) {
    throw InvalidArgument("[LossScaleOptimizer] there is no inner optimizer");
  }
  if (!(config.initial_scale > 0 && std::isfinite(config.initial_scale))) {
    throw InvalidArgument(
        "[LossScaleOptimizer] initial_scale must be positive and finite, got "
        "{}",
        config.initial_scale);
  }
  if (config.dynamic_growth_steps < 1) {
    throw InvalidArgument(
        "[LossScaleOptimizer] dynamic_growth_steps must be positive, got {}",
        config.dynamic_growth_steps);
  }
  TrackChild("inner_optimizer", *inner_);
}

double LossScaleOptimizer::loss_scale() const {
  return dynamic_scale_ ? dynamic_scale_->Read().item<float>()
                        : config_.initial_scale;
}

Tensor LossScaleOptimizer::ScaleLoss(const Tensor& loss) const {
  const Tensor wide =
      IsNarrowFloat(loss.dtype()) ? ops::Cast(loss, DType::kFloat32) : loss;
  return ops::Scale(wide, loss_scale());
}

void LossScaleOptimizer::MakeSlots(const std::vector<VariablePtr>& variables) {
  CheckHasCopies(*inner_->iterations_);
  step_counter_ =
      AddCounter("step_counter", "step_counter", Tensor::Scalar<int64_t>(0));
  dynamic_scale_ =
      AddCounter("dynamic_scale", "dynamic_scale",
                 Tensor::Scalar(static_cast<float>(config_.initial_scale)));
  inner_->Build(variables);
  Optimizer::MakeSlots(variables);
}

std::vector<Tensor> LossScaleOptimizer::Prepared(
    std::vector<Tensor> gradients) const {
  const Tensor scale = Tensor::Scalar(loss_scale());
  for (Tensor& gradient : gradients) {
    gradient = kernels::Divide(gradient, scale.Cast(gradient.dtype()));
  }
  return gradients;
}

void LossScaleOptimizer::ApplySummed(const std::vector<VariablePtr>& variables,
                                     const std::vector<Tensor>& gradients) {
  if (!std::ranges::all_of(gradients, IsFinite)) {
    SetLocal<int64_t>(*step_counter_, 0);
    return SetScale(loss_scale() / 2);
  }
  const int64_t finite_steps = step_counter_->Read().item<int64_t>() + 1;
  const bool grows = finite_steps >= config_.dynamic_growth_steps;
  inner_->ApplySummed(variables, gradients);
  SetLocal<int64_t>(*step_counter_, grows ? 0 : finite_steps);
  if (grows) SetScale(loss_scale() * 2);
}

// An infinite scale would make every later gradient infinite.
void LossScaleOptimizer::SetScale(double scale) {
  const float rounded = static_cast<float>(scale);
  if (!std::isfinite(rounded)) return;
  SetLocal<float>(*dynamic_scale_, rounded);
}

void LossScaleOptimizer::Update(const std::vector<Item>&, double, int64_t) {
  LOCKSTEP_CHECK(!"the inner optimizer updates");
}

std::vector<VariablePtr> LossScaleOptimizer::variables() const {
  std::vector<VariablePtr> all = Optimizer::variables();
  if (step_counter_) all.insert(all.end(), {step_counter_, dynamic_scale_});
  const std::vector<VariablePtr> inner = inner_->variables();
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

}  // namespace lockstep
