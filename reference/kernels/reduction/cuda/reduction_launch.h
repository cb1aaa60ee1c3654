// Reductions of arrays in a GPU's memory, in an order that depends on the
// array's shape only (reduction_plan.h).
#ifndef LOCKSTEP_REFERENCE_KERNELS_REDUCTION_CUDA_REDUCTION_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_REDUCTION_CUDA_REDUCTION_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "reference/kernels/cuda/reduction_plan.h"
#include "reference/kernels/elementwise/element_math.h"

namespace lockstep::cuda {

// Floats are summed in double, integers as unsigned, because they wrap around.
template <typename T>
using Accumulator = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

// Divides each sum by `divisor` and rounds it to the result's type. One launch
// for one piece, else two, with `partial` [pieces, sums] between them. T is
// float, double, BFloat16, Float16, int32_t or int64_t; the result's type is T,
// or for the means of integers double.
template <typename T, typename Result>
cudaError_t Sum(const T* x, const ReductionPlan& plan, double divisor,
                Accumulator<T>* partial, Result* results, cudaStream_t stream);

// The same for an empty array, which has no plan.
template <typename T, typename Result>
cudaError_t SumOfNothing(int64_t sums, double divisor, Result* results,
                         cudaStream_t stream);

// The index of the largest element along an axis.
//
// x is [outer, axis, inner]; best is [outer, inner]. float, double, BFloat16,
// Float16, int32_t, int64_t, uint8_t. REQUIRES: axis > 0.
template <typename T>
cudaError_t ArgMax(const T* x, int64_t outer, int64_t axis, int64_t inner,
                   int64_t* best, cudaStream_t stream);

// The sums of metrics; see weighted_sums.h.
using kernels_internal::ElementWeights;

// The number of sums per piece.
inline constexpr int kWeightedSums = 4;

// The scratch memory for the sums of `count` elements, in doubles.
int64_t WeightedSumsScratch(int64_t count);

// sums is {sum of values, sum of weights}. Both take one launch for up to one
// block of elements, else two.
cudaError_t WeightedSums(const float* values, const ElementWeights& weights,
                         int64_t count, double* scratch, float* sums,
                         cudaStream_t stream);

// sums is {true positives, false positives, false negatives}.
cudaError_t ConfusionSums(const float* labels, const float* scores,
                          double threshold, const ElementWeights& weights,
                          int64_t count, double* scratch, float* sums,
                          cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_REDUCTION_CUDA_REDUCTION_LAUNCH_H_
