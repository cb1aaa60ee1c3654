// Whether no element of any tensor is infinite or NaN.
//
//   AllFinite({[1, 2], [3]})     // a bool scalar, true
//   AllFinite({[1, inf], [3]})   // false
#ifndef LOCKSTEP_REFERENCE_KERNELS_ALL_FINITE_H_
#define LOCKSTEP_REFERENCE_KERNELS_ALL_FINITE_H_

#include <vector>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// On the tensors' device; a GPU's answer stays there, for kernels to read.
// Types other than float32 and float64 count as finite. REQUIRES: tensors.
// Errors: InvalidArgument for tensors of several devices.
Tensor AllFinite(const std::vector<Tensor>& tensors);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::AllFinite)> AllFinite{
    "AllFinite"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ALL_FINITE_H_
