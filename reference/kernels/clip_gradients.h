// Limits on gradients, applied to the sum over replicas before an update.
//
//   std::vector<Tensor> gradients = {[3, 4]};
//   ClipByNorm(gradients, 1);   // [0.6, 0.8]
//
// The tensors are replaced, never written to. On a GPU they are replaced even
// where nothing is cut: nobody there asks the host.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CLIP_GRADIENTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_CLIP_GRADIENTS_H_

#include <vector>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Shortens each gradient whose length is above `norm` to it. Lengths are
// computed in double; on a GPU, where the order of the sum is another, they may
// differ from the host's in the last places.
// Errors: InvalidArgument for tensors of several devices.
void ClipByNorm(std::vector<Tensor>& gradients, double norm);

// The same with the length of all gradients together.
void ClipByGlobalNorm(std::vector<Tensor>& gradients, double norm);

// Moves elements outside [-value, value] to its ends; NaN stays NaN. Errors as
// above, and InvalidArgument unless float32 or float64.
void ClipByValue(std::vector<Tensor>& gradients, double value);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::ClipByNorm)> ClipByNorm{
    "ClipByNorm"};
inline constinit DeviceKernel<decltype(kernels::ClipByGlobalNorm)>
    ClipByGlobalNorm{"ClipByGlobalNorm"};
inline constinit DeviceKernel<decltype(kernels::ClipByValue)> ClipByValue{
    "ClipByValue"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_CLIP_GRADIENTS_H_
