// y = max(0, y + bias), for convolutions and products whose plan does not
// include it. NaN stays NaN.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_BIAS_RELU_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_BIAS_RELU_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// y is [rows, columns], bias [columns] or nullptr. Adds the bias to `wide`, so
// that 16-bit results are rounded once, as on the CPU, or to y itself if `wide`
// is nullptr. REQUIRES: a floating dtype.
cudaError_t BiasRelu(cudaStream_t stream, DType dtype, void* y,
                     const float* wide, const void* bias, int64_t rows,
                     int64_t columns, bool relu);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_BIAS_RELU_H_
