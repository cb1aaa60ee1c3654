// Element by element on one tensor.
//
//   Negate([1, -2])    // [-1, 2]
//   Sign([-3, 0, 4])   // [-1, 0, 1]
#ifndef LOCKSTEP_REFERENCE_KERNELS_UNARY_H_
#define LOCKSTEP_REFERENCE_KERNELS_UNARY_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// float32, float64, int32, int64. Errors: InvalidArgument for other types.
Tensor Negate(const Tensor& x);
Tensor Abs(const Tensor& x);
Tensor Square(const Tensor& x);
Tensor Sign(const Tensor& x);

// float32, float64. Errors: InvalidArgument for other types.
Tensor Sqrt(const Tensor& x);
Tensor Exp(const Tensor& x);
Tensor Log(const Tensor& x);
Tensor Sigmoid(const Tensor& x);
Tensor Tanh(const Tensor& x);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_UNARY_H_
