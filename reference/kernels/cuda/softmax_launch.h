// Softmax over the rows of a matrix in a GPU's memory, forward and gradient.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_SOFTMAX_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_SOFTMAX_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// Both for float and double. REQUIRES: columns >= 1, or no rows.
template <typename T>
cudaError_t Softmax(const T* x, T* y, int64_t rows, int64_t columns,
                    cudaStream_t stream);

template <typename T>
cudaError_t SoftmaxBackward(const T* y, const T* dy, T* dx, int64_t rows,
                            int64_t columns, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_SOFTMAX_LAUNCH_H_
