// For tests: gradients of sum(function(x...)) for small exact examples, and
// their difference from central differences.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_GRADIENT_CHECK_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_GRADIENT_CHECK_H_

#include <functional>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// The gradients of sum(function()) for each tensor of `inputs`, which
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

// Compares the tape's gradients with central differences, in float64.
//
//   EXPECT_LT(GradientError(ops::Exp, x), kGradientTolerance);
//
// With h = 1e-5 the error of a central difference is about h^2 f'''/6 = 2e-11,
// plus rounding, 1e-16 f / h = 1e-11. Functions here are of order 1..10.
inline constexpr double kGradientTolerance = 1e-9;

// The largest difference over all elements of x between the two gradients of
// sum(weights * function(x)), with weights 1, 2, 3, ... so that no two outputs
// are interchangeable. REQUIRES: x is float64.
double GradientError(const std::function<Tensor(const Tensor&)>& function,
                     const Tensor& x);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_GRADIENT_CHECK_H_
