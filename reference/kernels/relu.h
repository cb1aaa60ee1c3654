// y = max(0, x) for floating-point tensors; NaN stays NaN.
//
//   Relu([-1, 0, 2])                     // [0, 0, 2]
//   ReluBackward([0, 0, 2], [5, 6, 7])   // [0, 0, 7]
#ifndef LOCKSTEP_REFERENCE_KERNELS_RELU_H_
#define LOCKSTEP_REFERENCE_KERNELS_RELU_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Errors: InvalidArgument for another type.
Tensor Relu(const Tensor& x);

// dy where y > 0, else 0. Errors: InvalidArgument for types or shapes that
// differ.
Tensor ReluBackward(const Tensor& y, const Tensor& dy);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Relu)> Relu{"Relu"};
inline constinit DeviceKernel<decltype(kernels::ReluBackward)> ReluBackward{
    "ReluBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_RELU_H_
