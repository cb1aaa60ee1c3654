// One step of Adagrad on a list of variables, in place (Keras' formula).
//
//   accumulator += gradient^2
//   variable -= learning_rate * gradient / sqrt(accumulator + epsilon)
//
// The bits do not depend on the thread team's size.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ADAGRAD_UPDATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_ADAGRAD_UPDATE_H_

#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/gpu_step.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// All of one shape, all float32 or all float64. `gradient` is only read.
struct AdagradItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* accumulator;
};

struct AdagradOptions {
  double learning_rate = 0.001;  // a GpuStep has its own
  double epsilon = 1e-7;
};

// With the host, and on a GPU. REQUIRES: nobody else holds the memory written
// to. Errors: InvalidArgument, before anything is written, for types or shapes
// that differ and for variables elsewhere.
void AdagradUpdate(std::span<const AdagradItem> items,
                   const AdagradOptions& options);
void AdagradUpdate(std::span<const AdagradItem> items,
                   const AdagradOptions& options, const GpuStep& step);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<void(std::span<const AdagradItem>,
                                   const AdagradOptions&, const GpuStep&)>
    AdagradUpdate{"AdagradUpdate"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ADAGRAD_UPDATE_H_
