#include "reference/optimizers/optimizer_step.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"

namespace lockstep {

namespace {

template <typename GradientList>
std::vector<GradientAndVariable> ZipAny(
    GradientList gradients, const std::vector<VariablePtr>& variables) {
  if (gradients.size() != variables.size()) {
    throw InvalidArgument("[Zip] {} gradients for {} variables",
                          gradients.size(), variables.size());
  }
  std::vector<GradientAndVariable> pairs;
  pairs.reserve(variables.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    pairs.emplace_back(std::move(gradients[i]), variables[i]);
  }
  return pairs;
}

}  // namespace

std::vector<GradientAndVariable> Zip(
    std::vector<std::optional<Tensor>> gradients,
    const std::vector<VariablePtr>& variables) {
  return ZipAny(std::move(gradients), variables);
}

std::vector<GradientAndVariable> ZipRows(
    VariableGradients gradients, const std::vector<VariablePtr>& variables) {
  return ZipAny(std::move(gradients), variables);
}

}  // namespace lockstep

namespace lockstep::optimizers_internal {
namespace {

// Errors: InvalidArgument unless the gradient has the variable's form.
void CheckFits(const Shape& shape, DType dtype, const Variable& variable) {
  if (shape == variable.shape() && dtype == variable.dtype()) return;
  throw InvalidArgument(
      "[ApplyGradients] variable '{}' is {}, its gradient is {}",
      variable.name(), ToString(TensorSpec{variable.shape(), variable.dtype()}),
      ToString(TensorSpec{shape, dtype}));
}

void AddGradient(const VariableGradient& gradient, const Variable& variable,
                 OptimizerStep& step) {
  if (const auto* dense = std::get_if<Tensor>(&gradient)) {
    CheckFits(dense->shape(), dense->dtype(), variable);
    step.gradients.push_back(*dense);
    step.rows.emplace_back();
    return;
  }
  const auto& slices = std::get<IndexedSlices>(gradient);
  CheckFits(slices.dense_shape(), slices.values().dtype(), variable);
  step.gradients.push_back(slices.values());
  step.rows.push_back(slices.indices());
}

// Replaces each gradient of rows by what `function` makes of it.
template <typename Function>
void ForEachOfRows(OptimizerStep& step, const Function& function) {
  for (size_t i = 0; i < step.gradients.size(); ++i) {
    if (!step.rows[i].defined()) continue;
    const IndexedSlices slices = function(IndexedSlices(
        step.gradients[i], step.rows[i], step.variables[i]->shape()));
    step.gradients[i] = slices.values();
    step.rows[i] = slices.indices();
  }
}

}  // namespace

void CheckHasCopies(const Variable& variable) {
  const DistributionContext& context = DistributionContext::Current();
  if (context.num_replicas_in_sync() == 1) return;
  if (dynamic_cast<const LocalVariable*>(&variable) == nullptr) return;
  throw FailedPrecondition(
      "[ApplyGradients] '{}' was made outside the strategy's scope: {} "
      "replicas would share one copy",
      variable.name(), context.num_replicas_in_sync());
}

OptimizerStep StepOf(const std::vector<GradientAndVariable>& pairs) {
  OptimizerStep step;
  for (const auto& [gradient, variable] : pairs) {
    if (!gradient) continue;
    CheckHasCopies(*variable);
    AddGradient(*gradient, *variable, step);
    step.variables.push_back(variable);
  }
  if (step.gradients.empty()) {
    throw InvalidArgument(
        "[ApplyGradients] No gradients provided for any variable, got {} pairs",
        pairs.size());
  }
  return step;
}

std::vector<VariablePtr> VariablesOf(
    const std::vector<GradientAndVariable>& pairs) {
  std::vector<VariablePtr> variables;
  variables.reserve(pairs.size());
  for (const auto& [gradient, variable] : pairs) variables.push_back(variable);
  return variables;
}

void MergeRows(OptimizerStep& step) {
  ForEachOfRows(step,
                [](const IndexedSlices& slices) { return slices.Merged(); });
}

void SumOverReplicas(OptimizerStep& step) {
  DistributionContext& context = DistributionContext::Current();
  std::vector<Tensor*> places;
  std::vector<Tensor> dense;
  for (size_t i = 0; i < step.gradients.size(); ++i) {
    if (step.rows[i].defined()) continue;
    places.push_back(&step.gradients[i]);
    dense.push_back(step.gradients[i]);
  }
  if (!dense.empty()) dense = context.AllReduce(ReduceOp::kSum, dense);
  for (size_t i = 0; i < dense.size(); ++i) *places[i] = std::move(dense[i]);
  ForEachOfRows(step, [&](const IndexedSlices& slices) {
    return context.SumRows(slices);
  });
}

}  // namespace lockstep::optimizers_internal
