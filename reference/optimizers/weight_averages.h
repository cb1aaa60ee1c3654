// Exponential moving averages of the variables that an optimizer trains, as Keras
// has them with use_ema.
//
//   WeightAverages averages({.momentum = 0.9, .overwrite_frequency = 100});
//   averages.Add(weight, average);         // a variable like the weight, in scope
//   averages.Update(iterations, taken);    // on each replica, after a step
//   averages.Finalize();                   // in cross-replica context
//
// They average every variable, also one that had no gradient, and every replica
// does the same to its own copies.
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
  // Of this variable; nullptr where there is none.
  VariablePtr Of(const Variable& variable) const;
  std::vector<VariablePtr> averages() const;

  // After a step, or one that was not taken: a bool scalar, or undefined.
  // REQUIRES: replica context; `iterations` counts the step.
  void Update(const Variable& iterations, const Tensor& taken);

  // Variables become their averages. REQUIRES: cross-replica context.
  void Finalize(const std::vector<VariablePtr>& variables) const;

 private:
  kernels::AverageOptions options_;
  std::vector<std::pair<VariablePtr, VariablePtr>> pairs_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_WEIGHT_AVERAGES_H_
