// Gradients with their variables, and what becomes of them before an optimizer's
// rule has them.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_OPTIMIZER_STEP_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_OPTIMIZER_STEP_H_

#include <optional>
#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/indexed_slices.h"
#include "reference/autodiff/variable.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

using GradientAndVariable =
    std::pair<std::optional<VariableGradient>, VariablePtr>;

// Each gradient with its variable.
//
//   optimizer.ApplyGradients(Zip(tape.Gradient(loss, weights), weights));
//
// Errors: InvalidArgument when the numbers differ.
std::vector<GradientAndVariable> Zip(
    std::vector<std::optional<Tensor>> gradients,
    const std::vector<VariablePtr>& variables);
std::vector<GradientAndVariable> ZipRows(
    VariableGradients gradients, const std::vector<VariablePtr>& variables);

// A step on its way through the stages.
struct OptimizerStep {
  std::vector<VariablePtr> variables;
  // One per variable; undefined where this replica has none, until they are
  // summed.
  std::vector<Tensor> gradients;
  std::vector<Tensor> rows;  // of these rows of it alone, where defined
  // A bool scalar where the gradients lie: with false nothing changes.
  // Undefined stands for true.
  Tensor taken;
};

}  // namespace lockstep

namespace lockstep::optimizers_internal {

// Replicas update copies of their own, without a lock.
// Errors: FailedPrecondition when several of them would share the only copy.
void CheckHasCopies(const Variable& variable);

// Errors: InvalidArgument for a gradient of another type or shape than its
// variable; those of CheckHasCopies.
OptimizerStep StepOf(const std::vector<GradientAndVariable>& pairs);

std::vector<VariablePtr> VariablesOf(
    const std::vector<GradientAndVariable>& pairs);

// Gradients become their sums over the replicas, those of rows with each row
// once. Where a replica has none it counts as zeros, unless all have none.
void SumOverReplicas(OptimizerStep& step);
// Each row once, where the caller has summed them already.
void MergeRows(OptimizerStep& step);
// Errors: InvalidArgument where no variable has a gradient.
void LeaveOutMissing(OptimizerStep& step);

}  // namespace lockstep::optimizers_internal

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_OPTIMIZER_STEP_H_
