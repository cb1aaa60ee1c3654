// Elementwise operations on two tensors, or on a tensor and a number or shape.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_BINARY_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_BINARY_H_

#include <cstdint>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Two tensors of one type, with numpy's broadcasting.
//
//   Add([[1, 2], [3, 4]], [10, 20])      // [[11, 22], [13, 24]]
//   Multiply([[1], [2]], [3, 4])         // [[3, 4], [6, 8]]
//   Divide(int32 [7, 8], int32 [2, 0])   // float64 [3.5, inf]
//
// Types: float32, float64, int32, int64. Integers wrap around at overflow.
//
// Errors of all: InvalidArgument for other types, different types, and shapes
// that do not broadcast.
Tensor Add(const Tensor& a, const Tensor& b);
Tensor Subtract(const Tensor& a, const Tensor& b);
Tensor Multiply(const Tensor& a, const Tensor& b);
// True division: integers return float64.
Tensor Divide(const Tensor& a, const Tensor& b);

// Multiplies a tensor by a number.
//
//   Scale([1, 2], 0.5)   // [0.5, 1]
//
// `factor` is first rounded to the tensor's type, float32 or float64.
// Errors: InvalidArgument for other types.
Tensor Scale(const Tensor& x, double factor);

// Broadcasts a tensor to a shape; the gradient of a sum.
//
//   BroadcastTo([1, 2], Shape{2, 2})   // [[1, 2], [1, 2]]
//
// Any numeric type. Errors: InvalidArgument if the tensor's shape does not
// broadcast to `shape`.
Tensor BroadcastTo(const Tensor& tensor, const Shape& shape);

// Compares two tensors of one type and shape element by element.
//
//   Equal([1, 2], [1, 3])        // bool [true, false]
//
// Any type. NaN equals nothing. Errors: InvalidArgument for different types or
// shapes.
Tensor Equal(const Tensor& a, const Tensor& b);

// GPU versions; see device_kernel.h.
namespace gpu {
// REQUIRES of Divide: a floating type.
inline constinit DeviceKernel<decltype(kernels::Add)> Add{"Add"};
inline constinit DeviceKernel<decltype(kernels::Subtract)> Subtract{"Subtract"};
inline constinit DeviceKernel<decltype(kernels::Multiply)> Multiply{"Multiply"};
inline constinit DeviceKernel<decltype(kernels::Divide)> Divide{"Divide"};
inline constinit DeviceKernel<decltype(kernels::Scale)> Scale{"Scale"};
inline constinit DeviceKernel<decltype(kernels::BroadcastTo)> BroadcastTo{
    "BroadcastTo"};
inline constinit DeviceKernel<decltype(kernels::Equal)> Equal{"Equal"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_BINARY_H_
