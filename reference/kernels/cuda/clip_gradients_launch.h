// The lengths of many arrays in a GPU's memory, and their clipping.
//
// A list's `gradient` is read and its `variable` is written.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CLIP_GRADIENTS_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CLIP_GRADIENTS_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/cuda/variable_list.h"

namespace lockstep::cuda {

// All for float and double. sums[b] is the sum of the squares of block b.
template <typename T>
cudaError_t SumSquares(const VariableList<T>& list, double* sums,
                       cudaStream_t stream);

// From these sums, for each variable, what shortens it to the length `norm`: 1
// where it is no longer.
template <typename T>
cudaError_t NormFactors(const VariableList<T>& list, const double* sums,
                        double norm, double* factors, cudaStream_t stream);

// The same for all variables together, from `count` sums of any lists; a length
// that is NaN makes the factor NaN, as the host's.
cudaError_t GlobalNormFactor(const double* sums, int64_t count, double norm,
                             double* factor, cudaStream_t stream);

// Each variable times a factor of its own, or all times the one there is.
template <typename T>
cudaError_t ScaleEach(const VariableList<T>& list, const double* factors,
                      bool one_for_all, cudaStream_t stream);

template <typename T>
cudaError_t ClipEach(const VariableList<T>& list, T low, T high,
                     cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CLIP_GRADIENTS_LAUNCH_H_
