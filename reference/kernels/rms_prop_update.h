// One step of RMSprop on a list of variables, in place (Keras' formula).
//
//   velocity = rho * velocity + (1 - rho) * gradient^2
//   variable -= learning_rate * gradient / sqrt(velocity + epsilon)
//
// The bits do not depend on the thread team's size.
#ifndef LOCKSTEP_REFERENCE_KERNELS_RMS_PROP_UPDATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_RMS_PROP_UPDATE_H_

#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/gpu_step.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// All of one shape, all float32 or all float64. `gradient` is only read.
struct RmsPropItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* velocity;
};

struct RmsPropOptions {
  double learning_rate = 0.001;  // a GpuStep has its own
  double rho = 0.9;
  double epsilon = 1e-7;
};

// With the host, and on a GPU. REQUIRES: nobody else holds the memory written
// to. Errors: InvalidArgument, before anything is written, for types or shapes
// that differ and for variables elsewhere.
void RmsPropUpdate(std::span<const RmsPropItem> items,
                   const RmsPropOptions& options);
void RmsPropUpdate(std::span<const RmsPropItem> items,
                   const RmsPropOptions& options, const GpuStep& step);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<void(std::span<const RmsPropItem>,
                                   const RmsPropOptions&, const GpuStep&)>
    RmsPropUpdate{"RmsPropUpdate"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_RMS_PROP_UPDATE_H_
