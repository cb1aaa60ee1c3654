// Test cases of kernels that run on every device.
//
// GPU kernels are compared with the host's, which have their own tests, on odd
// shapes, empty tensors and numbers that are not finite, forward and backward.
#ifndef LOCKSTEP_REFERENCE_KERNELS_TESTING_KERNEL_CASES_H_
#define LOCKSTEP_REFERENCE_KERNELS_TESTING_KERNEL_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

using Tensors = std::vector<Tensor>;

struct KernelCase {
  std::string name;  // "Add/float32/(2, 3)+(3,)"
  Tensors inputs;    // on the host
  std::function<Tensors(const Tensors& inputs)> compute;
  // The tolerance for floating results: in units in the last place of the
  // larger of the result and 1. With 0 the bits must be equal, except those of
  // a NaN.
  double ulps = 0;
};

// One list per group of kernels.
std::vector<KernelCase> ElementwiseCases();
std::vector<KernelCase> BroadcastCases();
std::vector<KernelCase> CastCases();
std::vector<KernelCase> MovementCases();
std::vector<KernelCase> ReductionCases();
std::vector<KernelCase> SoftmaxCases();
// In-place kernels.
std::vector<KernelCase> InPlaceCases();
std::vector<KernelCase> MetricCases();
std::vector<KernelCase> OptimizerCases();
// Clipping, the loss scale and learning rates.
std::vector<KernelCase> StepCases();
// Convolutions and matrix products.
std::vector<KernelCase> ProductCases();
std::vector<KernelCase> LayerCases();
// All cases.
std::vector<KernelCase> AllKernelCases();

// Numbers of all kinds: small and large ones, both zeros, subnormal numbers
// and, for floating types, infinities and NaN.
template <typename T>
Tensor Awkward(const Shape& shape, uint32_t seed = 1);

// Describes the difference between `actual` and the host's results, or "".
std::string Difference(const Tensors& actual, const Tensors& wanted,
                       double ulps);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_TESTING_KERNEL_CASES_H_
