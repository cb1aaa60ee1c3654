// The same calls for every device: what each kernel is to be tried with.
//
// The host's kernels, which have tests of their own, say what is right; a GPU's
// are compared with them over odd shapes, empty tensors and numbers that are
// not finite, forward and gradient.
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
  // How far a floating result may be from the host's: in units of the last
  // place of the larger of it and 1. At 0 the bits are the host's, but for the
  // bits of a NaN.
  double ulps = 0;
};

// One list a group of kernels.
std::vector<KernelCase> ElementwiseCases();
std::vector<KernelCase> BroadcastCases();
std::vector<KernelCase> CastCases();
std::vector<KernelCase> MovementCases();
std::vector<KernelCase> ReductionCases();
std::vector<KernelCase> SoftmaxCases();
// Tensors that are changed where they are.
std::vector<KernelCase> InPlaceCases();
std::vector<KernelCase> MetricCases();
std::vector<KernelCase> OptimizerCases();
// What goes with an optimizer's step: clipping, the loss scale, the rate.
std::vector<KernelCase> StepCases();
// Convolutions and matrix products, and what lies around them in a network.
std::vector<KernelCase> ProductCases();
std::vector<KernelCase> LayerCases();
// All of them.
std::vector<KernelCase> AllKernelCases();

// Some of everything: small and large numbers, both zeros, subnormal ones and,
// for floating types, infinities and NaN.
template <typename T>
Tensor Awkward(const Shape& shape, uint32_t seed = 1);

// What is wrong with `actual`, given what the host computed; "" for nothing.
std::string Difference(const Tensors& actual, const Tensors& wanted,
                       double ulps);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_TESTING_KERNEL_CASES_H_
