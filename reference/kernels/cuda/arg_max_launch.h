// Where the largest element along an axis is, in a GPU's memory.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_ARG_MAX_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_ARG_MAX_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// x is [outer, axis, inner]; best is [outer, inner]. float, double, BFloat16,
// Float16, int32_t, int64_t, uint8_t. REQUIRES: axis > 0.
template <typename T>
cudaError_t ArgMax(const T* x, int64_t outer, int64_t axis, int64_t inner,
                   int64_t* best, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_ARG_MAX_LAUNCH_H_
