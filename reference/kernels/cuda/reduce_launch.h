// Sums over some axes of an array in a GPU's memory, in an order that depends
// on its shape alone.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCE_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCE_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "reference/kernels/cuda/reduction_plan.h"

namespace lockstep::cuda {

// Floats sum in double; integers unsigned, because they wrap around.
template <typename T>
using Accumulator = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

// partial is [pieces, sums]. float, double, BFloat16, Float16, int32_t, int64_t.
// REQUIRES: there are elements.
template <typename T>
cudaError_t SumPieces(const T* x, const ReductionPlan& plan,
                      Accumulator<T>* partial, cudaStream_t stream);

// Adds up the pieces of each sum in their order, divides by `divisor` and
// rounds to the result's type. (double, float), (double, double), (double,
// BFloat16), (double, Float16), (uint64_t, int32_t), (uint64_t, int64_t), and
// the means of integers (uint64_t, double).
template <typename Sum, typename Result>
cudaError_t FinishSums(const Sum* partial, int64_t pieces, int64_t sums,
                       double divisor, Result* result, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCE_LAUNCH_H_
