// Elementwise operations on one tensor.
//
//   Negate([1, -2])    // [-1, 2]
//   Sign([-3, 0, 4])   // [-1, 0, 1]
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_UNARY_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_UNARY_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// float32, float64, int32, int64. Errors: InvalidArgument for other types.
Tensor Negate(const Tensor& x);
Tensor Abs(const Tensor& x);
Tensor Square(const Tensor& x);
Tensor Sign(const Tensor& x);

// float32, float64. Errors: InvalidArgument for other types.
Tensor Sqrt(const Tensor& x);
Tensor Exp(const Tensor& x);
Tensor Log(const Tensor& x);
Tensor Sigmoid(const Tensor& x);
Tensor Tanh(const Tensor& x);

// y = max(0, x) for floating-point tensors; NaN stays NaN.
//
//   Relu([-1, 0, 2])                     // [0, 0, 2]
//   ReluBackward([0, 0, 2], [5, 6, 7])   // [0, 0, 7]
//
// Errors: InvalidArgument for another type.
Tensor Relu(const Tensor& x);

// dy where y > 0, else 0. Errors: InvalidArgument for different types or
// shapes.
Tensor ReluBackward(const Tensor& y, const Tensor& dy);

// Limits elements to [low, high], for floating-point tensors; NaN stays NaN.
//
//   Clip([-1, 0.5, 2], 0, 1)                    // [0, 0.5, 1]
//   ClipBackward([-1, 0.5, 2], [5, 6, 7], 0, 1)   // [0, 6, 0]
//
// The bounds are first rounded to the tensor's type, float32 or float64.
// Errors: InvalidArgument for other types and for low > high.
Tensor Clip(const Tensor& x, double low, double high);

// dy where low <= x <= high, else 0. Errors as Clip, and for different types or
// shapes.
Tensor ClipBackward(const Tensor& x, const Tensor& dy, double low, double high);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Negate)> Negate{"Negate"};
inline constinit DeviceKernel<decltype(kernels::Abs)> Abs{"Abs"};
inline constinit DeviceKernel<decltype(kernels::Square)> Square{"Square"};
inline constinit DeviceKernel<decltype(kernels::Sign)> Sign{"Sign"};
inline constinit DeviceKernel<decltype(kernels::Sqrt)> Sqrt{"Sqrt"};
inline constinit DeviceKernel<decltype(kernels::Exp)> Exp{"Exp"};
inline constinit DeviceKernel<decltype(kernels::Log)> Log{"Log"};
inline constinit DeviceKernel<decltype(kernels::Sigmoid)> Sigmoid{"Sigmoid"};
inline constinit DeviceKernel<decltype(kernels::Tanh)> Tanh{"Tanh"};
inline constinit DeviceKernel<decltype(kernels::Relu)> Relu{"Relu"};
inline constinit DeviceKernel<decltype(kernels::ReluBackward)> ReluBackward{
    "ReluBackward"};
inline constinit DeviceKernel<decltype(kernels::Clip)> Clip{"Clip"};
inline constinit DeviceKernel<decltype(kernels::ClipBackward)> ClipBackward{
    "ClipBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_UNARY_H_
