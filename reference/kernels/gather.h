// Rows of a table by their numbers.
//
//   Gather([[1, 2], [3, 4]], [1, 0, 1])   // [[3, 4], [1, 2], [3, 4]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_GATHER_H_
#define LOCKSTEP_REFERENCE_KERNELS_GATHER_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// `params` of any type and rank >= 1; `indices` int32, int64 or uint8 of any
// shape S; gives S + params.shape[1:].
// Errors: InvalidArgument for other types and for an index out of range.
Tensor Gather(const Tensor& params, const Tensor& indices);

// The gradient of `params`, of shape `params_shape`: every row of dy added to
// the row it came from, in order. dy float32 or float64. Errors as Gather.
Tensor GatherBackward(const Shape& params_shape, const Tensor& indices,
                      const Tensor& dy);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_GATHER_H_
