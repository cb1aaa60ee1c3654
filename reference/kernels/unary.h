// Element by element on one tensor.
//
//   Negate([1, -2])    // [-1, 2]
//   Sign([-3, 0, 4])   // [-1, 0, 1]
#ifndef LOCKSTEP_REFERENCE_KERNELS_UNARY_H_
#define LOCKSTEP_REFERENCE_KERNELS_UNARY_H_

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

// The GPU versions; see device_kernel.h.
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
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_UNARY_H_
