// Numbers held between two bounds, for floating-point tensors; NaN stays NaN.
//
//   Clip([-1, 0.5, 2], 0, 1)                    // [0, 0.5, 1]
//   ClipBackward([-1, 0.5, 2], [5, 6, 7], 0, 1)   // [0, 6, 0]
#ifndef LOCKSTEP_REFERENCE_KERNELS_CLIP_H_
#define LOCKSTEP_REFERENCE_KERNELS_CLIP_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// The bounds are first rounded to the tensor's type, float32 or float64.
// Errors: InvalidArgument for other types and for low > high.
Tensor Clip(const Tensor& x, double low, double high);

// dy where low <= x <= high, else 0. Errors as Clip, and for types or shapes
// that differ.
Tensor ClipBackward(const Tensor& x, const Tensor& dy, double low, double high);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Clip)> Clip{"Clip"};
inline constinit DeviceKernel<decltype(kernels::ClipBackward)> ClipBackward{
    "ClipBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_CLIP_H_
