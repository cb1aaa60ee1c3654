// Differentiable arithmetic on two tensors of one type, with numpy's
// broadcasting; types and errors as kernels/binary.h.
//
//   Tensor y = ops::Add(ops::Multiply(x, w), b);
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARITHMETIC_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARITHMETIC_H_

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

Tensor Add(const Tensor& a, const Tensor& b);
Tensor Subtract(const Tensor& a, const Tensor& b);
Tensor Multiply(const Tensor& a, const Tensor& b);
// True division: integers give float64.
Tensor Divide(const Tensor& a, const Tensor& b);

// A floating tensor times a constant.
Tensor Scale(const Tensor& x, double factor);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARITHMETIC_H_
