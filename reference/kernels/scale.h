// A tensor times a number.
//
//   Scale([1, 2], 0.5)   // [0.5, 1]
#ifndef LOCKSTEP_REFERENCE_KERNELS_SCALE_H_
#define LOCKSTEP_REFERENCE_KERNELS_SCALE_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// `factor` is first rounded to the tensor's type, float32 or float64.
// Errors: InvalidArgument for other types.
Tensor Scale(const Tensor& x, double factor);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Scale)> Scale{"Scale"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_SCALE_H_
