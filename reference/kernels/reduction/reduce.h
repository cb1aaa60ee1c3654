// Sums, means and argmax along axes of a tensor.
#ifndef LOCKSTEP_REFERENCE_KERNELS_REDUCTION_REDUCE_H_
#define LOCKSTEP_REFERENCE_KERNELS_REDUCTION_REDUCE_H_

#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Sums and means over some axes of a tensor, or over all of them.
//
//   ReduceSum([[1, 2], [3, 4]])                            // 10
//   ReduceSum([[1, 2], [3, 4]], std::array{0})             // [4, 6]
//   ReduceMean([[1, 2], [3, 4]], std::array{-1}, true)     // [[1.5], [3.5]]
//   ReduceMean(int32 [1, 2])                               // float64 1.5
//
// Types: float32 (summed in float64, rounded once), float64, int32, int64. The
// order of additions is fixed: the team's size does not change the bits. The
// mean of no elements is NaN.
//
// Errors of all: InvalidArgument for other types, an axis out of range or given
// twice. Negative axes count from the end. With an empty list of axes nothing
// is summed.
Tensor ReduceSum(const Tensor& x);
Tensor ReduceSum(const Tensor& x, std::span<const int> axes,
                 bool keepdims = false);
// Integers return float64.
Tensor ReduceMean(const Tensor& x);
Tensor ReduceMean(const Tensor& x, std::span<const int> axes,
                  bool keepdims = false);

// The gradient of broadcasting: sums over every axis that was stretched.
//
//   SumToShape([[1, 2], [3, 4]], Shape{2})      // [4, 6]
//   SumToShape([[1, 2], [3, 4]], Shape{2, 1})   // [[3], [7]]
//   SumToShape(x, x.shape())                    // x itself, nothing copied
//
// Types as ReduceSum. Errors: InvalidArgument when `shape` does not broadcast
// to the tensor's shape.
Tensor SumToShape(const Tensor& tensor, const Shape& shape);

// The index of the largest element along an axis.
//
//   ArgMax([[1, 3, 2], [5, 5, 4]], 1)   // int64 [1, 0], the first of equals
//
// A NaN counts as largest. Types: float32, float64, int32, int64, uint8.
// Negative axes count from the end. Errors: InvalidArgument for other types,
// and an axis that is out of range or empty.
Tensor ArgMax(const Tensor& x, int axis);

// GPU versions; see device_kernel.h.
namespace gpu {
// x, its shape with 1 along the summed axes, the shape of the result, and
// whether it is the mean.
inline constinit DeviceKernel<Tensor(const Tensor&, const Shape&, const Shape&,
                                     bool)>
    Reduce{"Reduce"};
// The axis, 0 <= axis < rank, and the shape of the result.
inline constinit DeviceKernel<Tensor(const Tensor&, int, const Shape&)> ArgMax{
    "ArgMax"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_REDUCTION_REDUCE_H_
