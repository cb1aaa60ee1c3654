// The same elements in another shape or type, with gradients.
//
//   ops::Flatten(images);   // [64, 5, 5, 64] -> [64, 1600]
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_RESHAPE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_RESHAPE_H_

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Shares memory. Errors: InvalidArgument when the numbers of elements differ.
Tensor Reshape(const Tensor& x, const Shape& shape);

// All axes but the first become one. Errors: InvalidArgument for a scalar.
Tensor Flatten(const Tensor& x);

// The gradient is cast back. Errors as Tensor::Cast.
Tensor Cast(const Tensor& x, DType dtype);

// The same values, through which no gradient flows.
Tensor StopGradient(const Tensor& x);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_RESHAPE_H_
