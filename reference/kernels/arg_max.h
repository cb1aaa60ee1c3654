// Where the largest element along an axis is.
//
//   ArgMax([[1, 3, 2], [5, 5, 4]], 1)   // int64 [1, 0]: the first of equals
#ifndef LOCKSTEP_REFERENCE_KERNELS_ARG_MAX_H_
#define LOCKSTEP_REFERENCE_KERNELS_ARG_MAX_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// A NaN counts as largest. Types: float32, float64, int32, int64, uint8.
// Errors: InvalidArgument for other types, an axis out of range (negative ones
// count from the end) or one of no elements.
Tensor ArgMax(const Tensor& x, int axis);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ARG_MAX_H_
