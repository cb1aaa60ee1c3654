// What metrics gather of arrays in a GPU's memory; see weighted_sums.h.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_WEIGHTED_SUMS_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_WEIGHTED_SUMS_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// Element i weighs weights[i / elements_each], or 1 for nullptr.
struct ElementWeights {
  const float* weights;
  int64_t elements_each;

  constexpr double At(int64_t i) const {
    return weights == nullptr ? 1.0 : weights[i / elements_each];
  }
};

// sums is {sum of values, sum of weights}.
cudaError_t WeightedSums(const float* values, const ElementWeights& weights,
                         int64_t count, float* sums, cudaStream_t stream);

// sums is {true positives, false positives, false negatives}.
cudaError_t ConfusionSums(const float* labels, const float* scores,
                          double threshold, const ElementWeights& weights,
                          int64_t count, float* sums, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_WEIGHTED_SUMS_LAUNCH_H_
