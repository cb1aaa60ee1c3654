// The gradient of broadcasting: sums over every axis that was stretched.
//
//   SumToShape([[1, 2], [3, 4]], Shape{2})      // [4, 6]
//   SumToShape([[1, 2], [3, 4]], Shape{2, 1})   // [[3], [7]]
//   SumToShape(x, x.shape())                    // x itself, nothing copied
#ifndef LOCKSTEP_REFERENCE_KERNELS_SUM_TO_SHAPE_H_
#define LOCKSTEP_REFERENCE_KERNELS_SUM_TO_SHAPE_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Types as ReduceSum. Errors: InvalidArgument when `shape` does not broadcast
// to the tensor's shape.
Tensor SumToShape(const Tensor& tensor, const Shape& shape);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_SUM_TO_SHAPE_H_
