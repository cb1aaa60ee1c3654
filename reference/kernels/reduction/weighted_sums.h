// The sums that metrics take of a batch: the weighted sum of values, and the
// sum of the weights.
//
//   const Tensor values = [1, 2, 6], weights = [1, 1, 0.5];
//   WeightedSums(values, weights, 1)   // [6, 2.5]
#ifndef LOCKSTEP_REFERENCE_KERNELS_REDUCTION_WEIGHTED_SUMS_H_
#define LOCKSTEP_REFERENCE_KERNELS_REDUCTION_WEIGHTED_SUMS_H_

#include <cstdint>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/elementwise/element_math.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Both are summed in double and rounded to float32 once; a GPU adds in another
// order. The weight of element i is weights[i / elements_each]; undefined
// weights are 1. REQUIRES: float32; a weight for every element; elements_each
// >= 1.
Tensor WeightedSums(const Tensor& values, const Tensor& weights,
                    int64_t elements_each);

// The weights of the elements with a score above the threshold and label 1, of
// those above it with label 0, and of those not above it with label 1.
// REQUIRES: as above; as many labels as scores. Errors: InvalidArgument for
// labels other than 0 and 1. On a GPU, where the host does not wait for the
// labels, such labels make all three sums NaN.
Tensor ConfusionSums(const Tensor& labels, const Tensor& scores,
                     double threshold, const Tensor& weights,
                     int64_t elements_each);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::WeightedSums)> WeightedSums{
    "WeightedSums"};
inline constinit DeviceKernel<decltype(kernels::ConfusionSums)> ConfusionSums{
    "ConfusionSums"};
}  // namespace gpu

}  // namespace lockstep::kernels

namespace lockstep::kernels_internal {

// Undefined `weights` are 1.
inline ElementWeights WeightsOf(const Tensor& weights, int64_t elements_each) {
  return {weights.defined() ? weights.data<float>() : nullptr, elements_each};
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_REDUCTION_WEIGHTED_SUMS_H_
