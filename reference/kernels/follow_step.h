// The state of dynamic loss scaling after a step, changed in place.
//
//   FollowStep(finite, /*growth_steps=*/2, scale, finite_steps);
//
// A step that was not finite halves the scale and starts the count of finite
// ones anew; after `growth_steps` of these in a row the scale is doubled, as
// long as it stays finite.
#ifndef LOCKSTEP_REFERENCE_KERNELS_FOLLOW_STEP_H_
#define LOCKSTEP_REFERENCE_KERNELS_FOLLOW_STEP_H_

#include <cstdint>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Scalars: `finite` bool, `scale` float32, `finite_steps` int64. REQUIRES:
// nobody else holds the memory of the last two. Errors: InvalidArgument for
// other types or shapes, and for tensors of several devices.
void FollowStep(const Tensor& finite, int64_t growth_steps, Tensor& scale,
                Tensor& finite_steps);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::FollowStep)> FollowStep{
    "FollowStep"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_FOLLOW_STEP_H_
