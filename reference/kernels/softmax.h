// exp(x) / sum(exp(x)) along the last axis of a float32 or float64 tensor.
//
//   Softmax([[0, 0], [1000, 0]])   // [[0.5, 0.5], [1, 0]]: no overflow
#ifndef LOCKSTEP_REFERENCE_KERNELS_SOFTMAX_H_
#define LOCKSTEP_REFERENCE_KERNELS_SOFTMAX_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Errors: InvalidArgument for another type or a scalar.
Tensor Softmax(const Tensor& x);

// The gradient of x: y * (dy - sum(dy * y)). Errors as Softmax, and for shapes
// that differ.
Tensor SoftmaxBackward(const Tensor& y, const Tensor& dy);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Softmax)> Softmax{"Softmax"};
inline constinit DeviceKernel<decltype(kernels::SoftmaxBackward)>
    SoftmaxBackward{"SoftmaxBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_SOFTMAX_H_
