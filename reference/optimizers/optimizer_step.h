// Gradients with their variables, and the stages before an optimizer's rule.
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
// Errors: InvalidArgument if the numbers differ.
std::vector<GradientAndVariable> Zip(
    std::vector<std::optional<Tensor>> gradients,
    const std::vector<VariablePtr>& variables);
std::vector<GradientAndVariable> ZipRows(
    VariableGradients gradients, const std::vector<VariablePtr>& variables);

// The state of a step between stages.
struct OptimizerStep {
  std::vector<VariablePtr> variables;
  // One per variable. Before the sum, undefined if this replica has none.
  std::vector<Tensor> gradients;
  std::vector<Tensor> rows;  // if defined, the gradient is of these rows
  // A bool scalar on the gradients' device: with false nothing changes.
  // Undefined means true.
  Tensor taken;
};

}  // namespace lockstep

namespace lockstep::optimizers_internal {

// Replicas update their own copies, without a lock. Errors: FailedPrecondition
// if several replicas would share the only copy.
void CheckHasCopies(const Variable& variable);

// Errors: InvalidArgument for a gradient of another type or shape than its
// variable; those of CheckHasCopies.
OptimizerStep StepOf(const std::vector<GradientAndVariable>& pairs);

std::vector<VariablePtr> VariablesOf(
    const std::vector<GradientAndVariable>& pairs);

// Replaces gradients by their sums over the replicas, those of rows with each
// row once. A missing gradient counts as zeros, unless no replica has one.
void SumOverReplicas(OptimizerStep& step);
// Merges equal rows of gradients that the caller has summed.
void MergeRows(OptimizerStep& step);
// Errors: InvalidArgument if no variable has a gradient.
void LeaveOutMissing(OptimizerStep& step);

}  // namespace lockstep::optimizers_internal

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_OPTIMIZER_STEP_H_
