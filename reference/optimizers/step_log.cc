#include "reference/optimizers/step_log.h"

#include "reference/autodiff/indexed_slices.h"
#include "reference/kernels/elementwise/binary.h"

namespace lockstep {

StepLog::StepLog(const StepLogOptions& options) : options_(options) {
  if (!options.skipped) return;
  skipped_ =
      MakeVariable({.initial_value = [] { return Tensor::Scalar<int64_t>(0); },
                    .name = "skipped_steps",
                    .trainable = false,
                    .synchronization = VariableSynchronization::kOnRead,
                    .aggregation = VariableAggregation::kOnlyFirstReplica});
  TrackChild("skipped", *skipped_);
}

void StepLog::Add(const OptimizerStep& step) {
  if (skipped_ && step.taken.defined()) {
    skipped_->AssignAdd(
        kernels::Subtract(Tensor::Scalar<int64_t>(1, step.taken.device()),
                          step.taken.Cast(DType::kInt64)));
  }
  if (!options_.gradients) return;
  const std::lock_guard lock(mutex_);
  gradients_.clear();
  for (size_t i = 0; i < step.variables.size(); ++i) {
    const Tensor& gradient = step.gradients[i];
    gradients_[step.variables[i].get()] =
        step.rows[i].defined()
            ? IndexedSlices(gradient, step.rows[i], step.variables[i]->shape())
                  .ToDense()
            : gradient;
  }
}

int64_t StepLog::skipped() const {
  return skipped_ ? skipped_->Read().item<int64_t>() : 0;
}

Gradients StepLog::GradientsOf(
    const std::vector<VariablePtr>& variables) const {
  const std::lock_guard lock(mutex_);
  Gradients gradients;
  for (const VariablePtr& variable : variables) {
    const auto found = gradients_.find(variable.get());
    gradients.push_back(found == gradients_.end()
                            ? std::nullopt
                            : std::optional<Tensor>(found->second));
  }
  return gradients;
}

}  // namespace lockstep
