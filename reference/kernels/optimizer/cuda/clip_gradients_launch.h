// Clips gradients by their lengths or values, on a GPU. The kernels read a
// list's `gradient` and write its `variable`. All for float and double.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_CLIP_GRADIENTS_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_CLIP_GRADIENTS_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/optimizer/cuda/variable_list.h"

namespace lockstep::cuda {

// Sets sums[b] to the sum of the squares of block b.
template <typename T>
cudaError_t SumSquares(const VariableList<T>& list, double* sums,
                       cudaStream_t stream);

// From these sums, the factor that shortens each variable to length `norm`: 1
// if it is not longer.
template <typename T>
cudaError_t NormFactors(const VariableList<T>& list, const double* sums,
                        double norm, double* factors, cudaStream_t stream);

// The same for all variables together, from `count` sums of any lists. A length
// that is NaN makes the factor NaN, as on the host.
cudaError_t GlobalNormFactor(const double* sums, int64_t count, double norm,
                             double* factor, cudaStream_t stream);

// Multiplies variable i by factors[i], or all variables by factors[0] if
// `one_for_all`.
template <typename T>
cudaError_t ScaleEach(const VariableList<T>& list, const double* factors,
                      bool one_for_all, cudaStream_t stream);

template <typename T>
cudaError_t ClipEach(const VariableList<T>& list, T low, T high,
                     cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_CLIP_GRADIENTS_LAUNCH_H_
