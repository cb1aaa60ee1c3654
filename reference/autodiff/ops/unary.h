// Differentiable functions of one tensor, element by element; types and errors
// as kernels/unary.h, relu.h and clip.h.
//
//   Tensor y = ops::Square(ops::Subtract(prediction, truth));
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_UNARY_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_UNARY_H_

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

Tensor Negate(const Tensor& x);
Tensor Abs(const Tensor& x);  // gradient 0 at 0
Tensor Square(const Tensor& x);
Tensor Sqrt(const Tensor& x);
Tensor Exp(const Tensor& x);
Tensor Log(const Tensor& x);
Tensor Sigmoid(const Tensor& x);
Tensor Tanh(const Tensor& x);
Tensor Relu(const Tensor& x);  // gradient 0 at 0
// Gradient 1 inside the bounds and on them, 0 outside.
Tensor ClipByValue(const Tensor& x, double low, double high);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_UNARY_H_
