// Arrays in a GPU's memory that are changed where they are.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_IN_PLACE_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_IN_PLACE_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// float, double, BFloat16, Float16, int32_t, int64_t, uint8_t.
template <typename T>
cudaError_t AddInPlace(T* target, const T* delta, int64_t count,
                       cudaStream_t stream);
template <typename T>
cudaError_t SubtractInPlace(T* target, const T* delta, int64_t count,
                            cudaStream_t stream);

// target = value if *condition; words of 1, 2, 4 or 8 bytes (uint8_t ...
// uint64_t).
template <typename Word>
cudaError_t AssignWhere(const bool* condition, Word* target, const Word* value,
                        int64_t count, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_IN_PLACE_LAUNCH_H_
