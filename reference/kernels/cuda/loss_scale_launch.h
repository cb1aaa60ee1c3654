// Loss scaling without the host: is a step finite, and what follows from it.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_LOSS_SCALE_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_LOSS_SCALE_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/cuda/variable_list.h"

namespace lockstep::cuda {

// *finite = false if an element of a `gradient` is not finite; float, double.
template <typename T>
cudaError_t FindNonFinite(const VariableList<T>& list, bool* finite,
                          cudaStream_t stream);

cudaError_t FollowStep(const bool* finite, int64_t growth_steps, float* scale,
                       int64_t* finite_steps, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_LOSS_SCALE_LAUNCH_H_
