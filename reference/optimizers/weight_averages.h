// Exponential moving averages of the variables that an optimizer trains, as
// with Keras' use_ema.
//
//   WeightAverages averages({.momentum = 0.9, .overwrite_frequency = 100});
//   averages.Add(weight, average);         // a variable like the weight, in scope
//   averages.Update(iterations, taken);    // on each replica, after a step
//   averages.Finalize();                   // in cross-replica context
//
// Averages every variable, even without a gradient. Every replica does the same
// with its own copies.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_WEIGHT_AVERAGES_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_WEIGHT_AVERAGES_H_

#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class WeightAverages {
 public:
  // Errors: InvalidArgument for a momentum outside [0, 1] and a frequency below
  // 0.
  explicit WeightAverages(const kernels::AverageOptions& options);

  void Add(const VariablePtr& variable, const VariablePtr& average);
  // The average of this variable, or nullptr.
  VariablePtr Of(const Variable& variable) const;
  std::vector<VariablePtr> averages() const;

  // Called after a step. `taken`, a bool scalar or undefined, says whether it
  // was taken. REQUIRES: replica context; `iterations` counts the step.
  void Update(const Variable& iterations, const Tensor& taken);

  // Sets variables to their averages. REQUIRES: cross-replica context.
  void Finalize(const std::vector<VariablePtr>& variables) const;

 private:
  kernels::AverageOptions options_;
  std::vector<std::pair<VariablePtr, VariablePtr>> pairs_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_WEIGHT_AVERAGES_H_
