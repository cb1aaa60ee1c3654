// Element by element on one array in a GPU's memory; see element_math.h.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_UNARY_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_UNARY_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/cuda/element_math.h"

namespace lockstep::cuda {

// float, double, int32_t, int64_t.
template <typename T>
cudaError_t Unary(UnaryOp op, const T* x, T* y, int64_t count,
                  cudaStream_t stream);

// y = x * factor; float, double.
template <typename T>
cudaError_t Scale(const T* x, T factor, T* y, int64_t count,
                  cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_UNARY_LAUNCH_H_
