// Rows of a table by their numbers.
//
//   Gather([[1, 2], [3, 4]], [1, 0, 1])   // [[3, 4], [1, 2], [3, 4]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_GATHER_H_
#define LOCKSTEP_REFERENCE_KERNELS_GATHER_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// `params` of any type and rank >= 1; `indices` int32, int64 or uint8 of any
// shape S; gives S + params.shape[1:].
// Errors: InvalidArgument for other types and for an index out of range. On a
// GPU, whose indices the host does not wait for, such an index gives zeros, as
// TensorFlow has it.
Tensor Gather(const Tensor& params, const Tensor& indices);

// The gradient of `params`, of shape `params_shape`: every row of dy added to
// the row it came from, in order. dy float32 or float64. Errors as Gather; on a
// GPU an index out of range adds to nothing.
Tensor GatherBackward(const Shape& params_shape, const Tensor& indices,
                      const Tensor& dy);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Gather)> Gather{"Gather"};
inline constinit DeviceKernel<decltype(kernels::GatherBackward)> GatherBackward{
    "GatherBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_GATHER_H_
