// Where the largest element along an axis is.
//
//   ArgMax([[1, 3, 2], [5, 5, 4]], 1)   // int64 [1, 0]: the first of equals
#ifndef LOCKSTEP_REFERENCE_KERNELS_ARG_MAX_H_
#define LOCKSTEP_REFERENCE_KERNELS_ARG_MAX_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// A NaN counts as largest. Types: float32, float64, int32, int64, uint8.
// Errors: InvalidArgument for other types, an axis out of range (negative ones
// count from the end) or one of no elements.
Tensor ArgMax(const Tensor& x, int axis);

// The GPU version, with 0 <= axis < rank and the shape of the result; see
// device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<Tensor(const Tensor&, int, const Shape&)> ArgMax{
    "ArgMax"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ARG_MAX_H_
