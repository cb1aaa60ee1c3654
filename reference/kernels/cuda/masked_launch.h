// Gradients that pass or are cut, and clipping; see element_math.h.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_MASKED_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_MASKED_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// All for float and double.
template <typename T>
cudaError_t ReluBackward(const T* y, const T* dy, T* dx, int64_t count,
                         cudaStream_t stream);

template <typename T>
cudaError_t Clip(const T* x, T low, T high, T* y, int64_t count,
                 cudaStream_t stream);

template <typename T>
cudaError_t ClipBackward(const T* x, const T* dy, T low, T high, T* dx,
                         int64_t count, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_MASKED_LAUNCH_H_
