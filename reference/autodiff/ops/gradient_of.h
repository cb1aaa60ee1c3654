// Test help: gradients of sum(function(x...)) for small exact examples.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_GRADIENT_OF_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_GRADIENT_OF_H_

#include <functional>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// The gradients of the sum of function() for each tensor of `inputs`, which
// function() uses. REQUIRES: the result depends on all of them.
inline std::vector<Tensor> GradientsOf(const std::function<Tensor()>& function,
                                       const std::vector<Tensor>& inputs) {
  GradientTape tape;
  for (const Tensor& input : inputs) tape.Watch(input);
  std::vector<Tensor> result;
  for (auto& gradient : tape.Gradient(function(), inputs)) {
    result.push_back(gradient.value());
  }
  return result;
}

inline Tensor GradientOf(const std::function<Tensor()>& function,
                         const Tensor& input) {
  return GradientsOf(function, {input})[0];
}

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_GRADIENT_OF_H_
