// A learning rate that follows a count of steps on a GPU, computed there.
//
// `step` is an int64 scalar, the result a float64 scalar on its device.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LEARNING_RATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_LEARNING_RATE_H_

#include <cstdint>
#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/learning_rate_math.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Errors of both: InvalidArgument for another step.
Tensor RateAt(const Tensor& step, const ExponentialRate& rate);

// values[0] up to and including step boundaries[0], then values[1], and so on.
// REQUIRES: ascending boundaries, and one value more.
Tensor RateAt(const Tensor& step, std::span<const int64_t> boundaries,
              std::span<const double> values);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<Tensor(const Tensor&, const ExponentialRate&)>
    ExponentialRateAt{"ExponentialDecay"};
inline constinit DeviceKernel<Tensor(const Tensor&, std::span<const int64_t>,
                                     std::span<const double>)>
    PiecewiseRateAt{"PiecewiseConstantDecay"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_LEARNING_RATE_H_
