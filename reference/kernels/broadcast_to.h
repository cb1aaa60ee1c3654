// Repeats elements until a tensor has a shape; the gradient of a sum.
//
//   BroadcastTo([1, 2], Shape{2, 2})   // [[1, 2], [1, 2]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_BROADCAST_TO_H_
#define LOCKSTEP_REFERENCE_KERNELS_BROADCAST_TO_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Any numeric type. Errors: InvalidArgument when the tensor's shape does not
// broadcast to `shape`.
Tensor BroadcastTo(const Tensor& tensor, const Shape& shape);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::BroadcastTo)> BroadcastTo{
    "BroadcastTo"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_BROADCAST_TO_H_
