// One step of Adam on a whole list of variables, in place (Keras' formula).
//
//   alpha = learning_rate * sqrt(1 - beta_2^step) / (1 - beta_1^step)
//   momentum += (gradient - momentum) * (1 - beta_1)
//   velocity += (gradient^2 - velocity) * (1 - beta_2)
//   variable -= momentum * alpha / (sqrt(velocity) + epsilon)
//
//   AdamItem item{&w, &gradient, &m, &v};
//   AdamUpdate({&item, 1}, {.learning_rate = 0.001}, 1);
//
// The bits do not depend on the thread team's size.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ADAM_UPDATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_ADAM_UPDATE_H_

#include <cstdint>
#include <span>

#include "reference/kernels/adam_options.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/gpu_step.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// All of one shape, all float32 or all float64. `gradient` is only read.
struct AdamItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* momentum;
  Tensor* velocity;
};

// `step` counts from 1. REQUIRES: nobody else holds the memory written to.
// Errors: InvalidArgument for step < 1 and, before anything is written, for
// types or shapes that differ and for variables on a GPU.
void AdamUpdate(std::span<const AdamItem> items, const AdamOptions& options,
                int64_t step);

// The same on a GPU, with the step's numbers there. Errors: as above, and
// InvalidArgument for numbers that lie elsewhere.
void AdamUpdate(std::span<const AdamItem> items, const AdamOptions& options,
                const GpuStep& step);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<void(std::span<const AdamItem>,
                                   const AdamOptions&, const GpuStep&)>
    AdamUpdate{"AdamUpdate"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ADAM_UPDATE_H_
