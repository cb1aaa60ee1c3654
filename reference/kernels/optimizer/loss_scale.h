// Dynamic loss scaling: whether gradients are finite, and the next scale.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_LOSS_SCALE_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_LOSS_SCALE_H_

#include <cstdint>
#include <vector>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Whether no element of any tensor is infinite or NaN.
//
//   AllFinite({[1, 2], [3]})     // a bool scalar, true
//   AllFinite({[1, inf], [3]})   // false
//
// The result is on the tensors' device, where other kernels read it. Types
// other than float32 and float64 count as finite. REQUIRES: at least one
// tensor. Errors: InvalidArgument for tensors of several devices.
Tensor AllFinite(const std::vector<Tensor>& tensors);

// Updates the state of dynamic loss scaling after a step, in place.
//
//   UpdateLossScale(finite, /*growth_steps=*/2, scale, finite_steps);
//
// A step that was not finite halves the scale and resets the count of finite
// steps. After `growth_steps` finite steps in a row the scale is doubled, unless
// it would become infinite.
//
// Scalars: `finite` bool, `scale` float32, `finite_steps` int64. REQUIRES: no
// other tensor shares the memory of the last two. Errors: InvalidArgument for
// other types or shapes, and for tensors of several devices.
void UpdateLossScale(const Tensor& finite, int64_t growth_steps, Tensor& scale,
                     Tensor& finite_steps);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::AllFinite)> AllFinite{
    "AllFinite"};
inline constinit DeviceKernel<decltype(kernels::UpdateLossScale)>
    UpdateLossScale{"UpdateLossScale"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_LOSS_SCALE_H_
