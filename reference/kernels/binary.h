// Element by element on two tensors of one type, with numpy's broadcasting.
//
//   Add([[1, 2], [3, 4]], [10, 20])      // [[11, 22], [13, 24]]
//   Multiply([[1], [2]], [3, 4])         // [[3, 4], [6, 8]]
//   Divide(int32 [7, 8], int32 [2, 0])   // float64 [3.5, inf]
//
// Types: float32, float64, int32, int64. Integers wrap around at overflow.
#ifndef LOCKSTEP_REFERENCE_KERNELS_BINARY_H_
#define LOCKSTEP_REFERENCE_KERNELS_BINARY_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Errors of all: InvalidArgument for other types, types that differ, and
// shapes that do not broadcast.
Tensor Add(const Tensor& a, const Tensor& b);
Tensor Subtract(const Tensor& a, const Tensor& b);
Tensor Multiply(const Tensor& a, const Tensor& b);
// True division: integers give float64.
Tensor Divide(const Tensor& a, const Tensor& b);

// The GPU versions; see device_kernel.h. Divide is for floating types.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Add)> Add{"Add"};
inline constinit DeviceKernel<decltype(kernels::Subtract)> Subtract{"Subtract"};
inline constinit DeviceKernel<decltype(kernels::Multiply)> Multiply{"Multiply"};
inline constinit DeviceKernel<decltype(kernels::Divide)> Divide{"Divide"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_BINARY_H_
