// The passes of batch normalization over [rows, channels].
//
// cuDNN's batch normalization is not used: it is deprecated, divides the
// variance by one less than the rows, and fuses ReLU and the addend only for
// float16. These kernels read x once for the moments and once to normalize,
// which is the minimum. Sums are float64 and in a fixed order, as on the CPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_BATCH_NORM_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_BATCH_NORM_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// The arrays of one call, all on the GPU; nullptr for absent ones. x, y, dy,
// dx, addend and d_addend are [rows, channels] of `dtype`. The others are
// [channels] of the same dtype, or float32 for 16-bit types.
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

// The scratch memory of a call, in doubles. Errors of BatchNormGradient:
// invalid value without rows.
int64_t BatchNormScratch(const BatchNormSizes& sizes);

// mean and variance of x. NaN without rows.
cudaError_t BatchNormMoments(cudaStream_t stream, const BatchNormSizes& sizes,
                             const BatchNormArrays& arrays, double* scratch);
// y from x, mean and variance.
cudaError_t BatchNormApply(cudaStream_t stream, const BatchNormSizes& sizes,
                           const BatchNormArrays& arrays, double* scratch);
// d_gamma, d_beta, dx and, if not nullptr, d_addend (relu only).
cudaError_t BatchNormGradient(cudaStream_t stream, const BatchNormSizes& sizes,
                              const BatchNormArrays& arrays,
                              bool moments_are_constants, double* scratch);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_BATCH_NORM_LAUNCH_H_
