// Sums over some axes of an array in a GPU's memory, in an order that depends
// on its shape alone (sum_lanes.h).
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

// Divides each sum by `divisor` and rounds it to the result's type. One launch
// for one piece, else two, with partial [pieces, sums] between them. T is float,
// double, BFloat16, Float16, int32_t or int64_t; the result's type is T, or for
// the means of integers double.
template <typename T, typename Result>
cudaError_t Sum(const T* x, const ReductionPlan& plan, double divisor,
                Accumulator<T>* partial, Result* results, cudaStream_t stream);

// The same for an array without elements, of which there is no plan.
template <typename T, typename Result>
cudaError_t SumOfNothing(int64_t sums, double divisor, Result* results,
                         cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCE_LAUNCH_H_
