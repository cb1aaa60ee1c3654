// The numbers of an optimizer's step where a GPU's kernels read them.
//
// They change from step to step. As arguments of kernels they would have to be
// known to the host, which would wait for the GPU, and would be fixed in a
// captured CUDA graph; so they lie in the GPU's memory.
#ifndef LOCKSTEP_REFERENCE_KERNELS_GPU_STEP_H_
#define LOCKSTEP_REFERENCE_KERNELS_GPU_STEP_H_

#include <string_view>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// All on one GPU.
struct GpuStep {
  Tensor learning_rate;  // a float64 scalar
  Tensor iterations;     // an int64 scalar: the steps before this one
  // A bool scalar: with false nothing changes. Undefined where no one decides.
  Tensor taken = {};
};

// Errors: InvalidArgument unless the step's numbers are of the types above and
// on the GPU of `variable`.
void CheckGpuStep(std::string_view operation, const Tensor& variable,
                  const GpuStep& step);

// Errors: InvalidArgument for a variable on a GPU, whose step is a GpuStep.
void CheckHostStep(std::string_view operation, const Tensor& variable);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_GPU_STEP_H_
