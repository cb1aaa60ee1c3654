// One step of gradient descent on a list of variables, in place (Keras'
// formula).
//
//   without momentum:  variable -= gradient * learning_rate
//   with it:           velocity = velocity * momentum - gradient *
//   learning_rate
//                      variable += velocity
//   Nesterov:          variable += velocity * momentum - gradient *
//   learning_rate
//
// The bits do not depend on the thread team's size.
#ifndef LOCKSTEP_REFERENCE_KERNELS_SGD_UPDATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_SGD_UPDATE_H_

#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/gpu_step.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// All of one shape, all float32 or all float64. `gradient` is only read.
// `velocity` may be nullptr when the momentum is 0.
struct SgdItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* velocity;
};

struct SgdOptions {
  double learning_rate = 0.01;  // a GpuStep has its own
  double momentum = 0.0;
  bool nesterov = false;
};

// REQUIRES: nobody else holds the memory written to.
// Errors: InvalidArgument, before anything is written, for types or shapes
// that differ, a missing velocity, and variables on a GPU.
void SgdUpdate(std::span<const SgdItem> items, const SgdOptions& options);

// The same on a GPU, with the step's numbers there. Errors: as above, and
// InvalidArgument for numbers that lie elsewhere.
void SgdUpdate(std::span<const SgdItem> items, const SgdOptions& options,
               const GpuStep& step);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<void(std::span<const SgdItem>, const SgdOptions&,
                                   const GpuStep&)>
    SgdUpdate{"SgdUpdate"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_SGD_UPDATE_H_
