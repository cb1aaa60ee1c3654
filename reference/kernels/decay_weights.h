// Weight decay: takes a share of each variable away, in place.
//
//   DecayWeights(v, 0.25);   // v -= v * 0.25
#ifndef LOCKSTEP_REFERENCE_KERNELS_DECAY_WEIGHTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_DECAY_WEIGHTS_H_

#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/gpu_step.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// REQUIRES: nobody else holds the memory of the variable, which lies with the
// host. Other types than float32 and float64 stay as they are.
void DecayWeights(Tensor& variable, double factor);

// The share of variables on a GPU is `decay` times the step's learning rate.
// Errors: InvalidArgument unless all are of one type, float32 or float64, and
// on the GPU of the step's numbers.
void DecayWeights(std::span<Tensor* const> variables, double decay,
                  const GpuStep& step);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<void(std::span<Tensor* const>, double,
                                   const GpuStep&)>
    DecayWeights{"DecayWeights"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_DECAY_WEIGHTS_H_
