#include <cmath>

#include "reference/kernels/cuda/block_sum.cuh"
#include "reference/kernels/cuda/weighted_sums_launch.h"

namespace lockstep::cuda {
namespace {

// One block: a batch's values are few.
__global__ void __launch_bounds__(kThreadsPerBlock)
    WeightedSumsKernel(const float* values, ElementWeights weights,
                       int64_t count, float* sums) {
  double total = 0;
  double weight = 0;
  for (int64_t i = threadIdx.x; i < count; i += kThreadsPerBlock) {
    total += double{values[i]} * weights.At(i);
    weight += weights.At(i);
  }
  total = BlockSum(total);
  weight = BlockSum(weight);
  if (threadIdx.x > 0) return;
  sums[0] = static_cast<float>(total);
  sums[1] = static_cast<float>(weight);
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    ConfusionSumsKernel(const float* labels, const float* scores,
                        double threshold, ElementWeights weights, int64_t count,
                        float* sums) {
  double hits = 0;
  double false_alarms = 0;
  double misses = 0;
  double no_labels = 0;
  for (int64_t i = threadIdx.x; i < count; i += kThreadsPerBlock) {
    const float label = labels[i];
    const bool positive = scores[i] > threshold;
    if (label != 0 && label != 1) no_labels = 1;
    if (positive && label == 1) hits += weights.At(i);
    if (positive && label == 0) false_alarms += weights.At(i);
    if (!positive && label == 1) misses += weights.At(i);
  }
  hits = BlockSum(hits);
  false_alarms = BlockSum(false_alarms);
  misses = BlockSum(misses);
  no_labels = BlockSum(no_labels);
  if (threadIdx.x > 0) return;
  const float mark = no_labels > 0 ? NAN : 0.0f;
  sums[0] = static_cast<float>(hits) + mark;
  sums[1] = static_cast<float>(false_alarms) + mark;
  sums[2] = static_cast<float>(misses) + mark;
}

}  // namespace

cudaError_t WeightedSums(const float* values, const ElementWeights& weights,
                         int64_t count, float* sums, cudaStream_t stream) {
  return Launch(WeightedSumsKernel, 1, stream, values, weights, count, sums);
}

cudaError_t ConfusionSums(const float* labels, const float* scores,
                          double threshold, const ElementWeights& weights,
                          int64_t count, float* sums, cudaStream_t stream) {
  return Launch(ConfusionSumsKernel, 1, stream, labels, scores, threshold,
                weights, count, sums);
}

}  // namespace lockstep::cuda
