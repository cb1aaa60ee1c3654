#include "reference/optimizers/weight_averages.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep {

WeightAverages::WeightAverages(const kernels::AverageOptions& options)
    : options_(options) {
  if (!(options.momentum >= 0 && options.momentum <= 1)) {
    throw InvalidArgument("[Optimizer] ema_momentum must be in [0, 1], got {}",
                          options.momentum);
  }
  if (options.overwrite_frequency < 0) {
    throw InvalidArgument(
        "[Optimizer] ema_overwrite_frequency must be 1 or more, or 0 for "
        "never, "
        "got {}",
        options.overwrite_frequency);
  }
}

void WeightAverages::Add(const VariablePtr& variable,
                         const VariablePtr& average) {
  pairs_.emplace_back(variable, average);
}

VariablePtr WeightAverages::Of(const Variable& variable) const {
  const auto found = std::ranges::find_if(
      pairs_, [&](const auto& pair) { return pair.first.get() == &variable; });
  return found == pairs_.end() ? nullptr : found->second;
}

std::vector<VariablePtr> WeightAverages::averages() const {
  std::vector<VariablePtr> averages;
  averages.reserve(pairs_.size());
  for (const auto& [variable, average] : pairs_) averages.push_back(average);
  return averages;
}

void WeightAverages::Update(const Variable& iterations, const Tensor& taken) {
  std::vector<Variable*> changed;
  changed.reserve(2 * pairs_.size());
  for (const auto& [variable, average] : pairs_) {
    changed.insert(changed.end(), {variable.get(), average.get()});
  }
  const Tensor inputs[] = {iterations.Read(), taken};
  UpdateTogether("AverageWeights", changed, inputs,
                 [options = options_](std::span<Tensor* const> values,
                                      std::span<const Tensor> inputs) {
                   std::vector<kernels::AverageItem> items;
                   for (size_t i = 0; i < values.size(); i += 2) {
                     items.push_back({values[i], values[i + 1]});
                   }
                   kernels::AverageWeights(items, options, inputs[0],
                                           inputs[1]);
                 });
}

void WeightAverages::Finalize(const std::vector<VariablePtr>& variables) const {
  for (const VariablePtr& variable : variables) {
    const VariablePtr average = Of(*variable);
    if (average == nullptr) {
      throw InvalidArgument("[FinalizeVariableValues] '{}' has no average",
                            variable->name());
    }
    variable->Assign(average->Read());
  }
}

}  // namespace lockstep
