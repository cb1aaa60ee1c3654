// Repeats elements until a tensor has a shape; the gradient of a sum.
//
//   BroadcastTo([1, 2], Shape{2, 2})   // [[1, 2], [1, 2]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_BROADCAST_TO_H_
#define LOCKSTEP_REFERENCE_KERNELS_BROADCAST_TO_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Any numeric type. Errors: InvalidArgument when the tensor's shape does not
// broadcast to `shape`.
Tensor BroadcastTo(const Tensor& tensor, const Shape& shape);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_BROADCAST_TO_H_
