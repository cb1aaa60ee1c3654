// Learning rates that depend on the number of steps, computed where the count
// of steps is.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_LEARNING_RATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_LEARNING_RATE_H_

#include <cstdint>
#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/optimizer/optimizer_math.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// `step` is an int64 scalar, the result a float64 scalar on its device.
// Errors of both functions: InvalidArgument for another step.
Tensor RateAt(const Tensor& step, const ExponentialRate& rate);

// values[0] up to and including step boundaries[0], then values[1], and so on.
// REQUIRES: ascending boundaries, and one more value than boundaries.
Tensor RateAt(const Tensor& step, std::span<const int64_t> boundaries,
              std::span<const double> values);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<Tensor(const Tensor&, const ExponentialRate&)>
    ExponentialRateAt{"ExponentialDecay"};
inline constinit DeviceKernel<Tensor(const Tensor&, std::span<const int64_t>,
                                     std::span<const double>)>
    PiecewiseRateAt{"PiecewiseConstantDecay"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_LEARNING_RATE_H_
