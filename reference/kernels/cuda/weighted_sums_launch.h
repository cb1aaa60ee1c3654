// What metrics gather of arrays in a GPU's memory; see weighted_sums.h.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_WEIGHTED_SUMS_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_WEIGHTED_SUMS_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/element_weights.h"

namespace lockstep::cuda {

using kernels_internal::ElementWeights;

// Kept for each piece of the elements.
inline constexpr int kWeightedSums = 4;

// Doubles that the sums of `count` elements need as scratch memory.
int64_t WeightedSumsScratch(int64_t count);

// sums is {sum of values, sum of weights}. Both are one launch for a batch, two
// for what is longer than a block's worth.
cudaError_t WeightedSums(const float* values, const ElementWeights& weights,
                         int64_t count, double* scratch, float* sums,
                         cudaStream_t stream);

// sums is {true positives, false positives, false negatives}.
cudaError_t ConfusionSums(const float* labels, const float* scores,
                          double threshold, const ElementWeights& weights,
                          int64_t count, double* scratch, float* sums,
                          cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_WEIGHTED_SUMS_LAUNCH_H_
