// The passes of batch normalization over [rows, channels].
//
// Own kernels, not cuDNN's: its batch normalization is deprecated, gives the
// variance divided by one row less, and fuses ReLU and the addend for float16
// alone. These read x once for the moments and once to normalize, which is the
// least there is; sums run in float64 and in a fixed order, as the CPU's.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_BATCH_NORM_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_BATCH_NORM_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// The arrays of one call, all on the GPU; nullptr where there is none. x, y,
// dy, dx, addend and d_addend are [rows, channels] of `dtype`, the others
// [channels], of the same dtype but for 16-bit ones, whose are float32.
struct BatchNormArrays {
  const void* x = nullptr;
  const void* gamma = nullptr;
  const void* beta = nullptr;
  const void* addend = nullptr;
  void* mean = nullptr;
  void* variance = nullptr;
  void* y = nullptr;

  const void* dy = nullptr;
  void* dx = nullptr;
  void* d_gamma = nullptr;
  void* d_beta = nullptr;
  void* d_addend = nullptr;
};

struct BatchNormSizes {
  DType dtype = DType::kFloat32;
  int64_t rows = 0;
  int64_t channels = 0;
  double epsilon = 0;
  bool relu = false;
};

// Errors of the last: invalid value without rows.
// Doubles that the sums of a call need as scratch memory.
int64_t BatchNormScratch(const BatchNormSizes& sizes);

// mean and variance of x. NaN without rows.
cudaError_t BatchNormMoments(cudaStream_t stream, const BatchNormSizes& sizes,
                             const BatchNormArrays& arrays, double* scratch);
// y from x, mean and variance.
cudaError_t BatchNormApply(cudaStream_t stream, const BatchNormSizes& sizes,
                           const BatchNormArrays& arrays, double* scratch);
// d_gamma, d_beta, dx and, where wanted, d_addend (relu only).
cudaError_t BatchNormGradient(cudaStream_t stream, const BatchNormSizes& sizes,
                              const BatchNormArrays& arrays,
                              bool moments_are_constants, double* scratch);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_BATCH_NORM_LAUNCH_H_
