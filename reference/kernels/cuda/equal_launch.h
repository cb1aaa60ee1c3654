// Compares two arrays in a GPU's memory element by element.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_EQUAL_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_EQUAL_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// float, double, BFloat16, Float16, int32_t, int64_t, uint8_t, bool.
template <typename T>
cudaError_t Equal(const T* a, const T* b, bool* equal, int64_t count,
                  cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_EQUAL_LAUNCH_H_
