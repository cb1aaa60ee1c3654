// Sums and means over some axes of a tensor, or over all of them.
//
//   ReduceSum([[1, 2], [3, 4]])                            // 10
//   ReduceSum([[1, 2], [3, 4]], std::array{0})             // [4, 6]
//   ReduceMean([[1, 2], [3, 4]], std::array{-1}, true)     // [[1.5], [3.5]]
//   ReduceMean(int32 [1, 2])                               // float64 1.5
//
// Types: float32 (summed in float64, rounded once), float64, int32, int64. The
// order of additions is fixed: the team's size does not change the bits. The
// mean of nothing is NaN.
#ifndef LOCKSTEP_REFERENCE_KERNELS_REDUCE_H_
#define LOCKSTEP_REFERENCE_KERNELS_REDUCE_H_

#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Errors of all: InvalidArgument for other types, an axis out of range or
// named twice. Negative axes count from the end; no axis, nothing is summed.
Tensor ReduceSum(const Tensor& x);
Tensor ReduceSum(const Tensor& x, std::span<const int> axes,
                 bool keepdims = false);
// Integers give float64.
Tensor ReduceMean(const Tensor& x);
Tensor ReduceMean(const Tensor& x, std::span<const int> axes,
                  bool keepdims = false);

// The GPU version of all four: x, its shape with 1 along the summed axes, the
// shape of the result, and whether it is the mean. See device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<Tensor(const Tensor&, const Shape&, const Shape&,
                                     bool)>
    Reduce{"Reduce"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_REDUCE_H_
