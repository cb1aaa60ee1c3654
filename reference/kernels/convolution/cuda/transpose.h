// Transposes a matrix. Filters are HWIO, which is a matrix [H * W * I, O];
// cuDNN requires the transpose, [O, H, W, I].
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_TRANSPOSE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_TRANSPOSE_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lockstep::cuda {

// `from` is [rows, columns], `to` [columns, rows]; element_bytes 2, 4 or 8.
cudaError_t Transpose(cudaStream_t stream, size_t element_bytes,
                      const void* from, void* to, int64_t rows,
                      int64_t columns);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_TRANSPOSE_H_
