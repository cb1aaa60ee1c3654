// Limits on gradients, applied to their sum over replicas before an update.
//
//   std::vector<Tensor> gradients = {[3, 4]};
//   ClipByNorm(gradients, 1);   // [0.6, 0.8]
//
// Each function replaces the tensors of the list and never writes to the old
// ones. A GPU's are replaced even if nothing is cut, because the host does not
// wait for the lengths.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CLIP_GRADIENTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CLIP_GRADIENTS_H_

#include <vector>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Scales each gradient that is longer than `norm` to that length. Lengths are
// computed in double. A GPU adds in another order than the host, so the last
// places may differ.
// Errors: InvalidArgument for tensors of several devices.
void ClipByNorm(std::vector<Tensor>& gradients, double norm);

// The same with the length of all gradients together.
void ClipByGlobalNorm(std::vector<Tensor>& gradients, double norm);

// Moves elements outside [-value, value] to its ends; NaN stays NaN. Errors as
// above, and InvalidArgument unless float32 or float64.
void ClipByValue(std::vector<Tensor>& gradients, double value);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::ClipByNorm)> ClipByNorm{
    "ClipByNorm"};
inline constinit DeviceKernel<decltype(kernels::ClipByGlobalNorm)>
    ClipByGlobalNorm{"ClipByGlobalNorm"};
inline constinit DeviceKernel<decltype(kernels::ClipByValue)> ClipByValue{
    "ClipByValue"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CLIP_GRADIENTS_H_
