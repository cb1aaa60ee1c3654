// What goes with an optimizer's step: its numbers, the learning rate, the loss
// scale, and limits on gradients.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_TRAINING_STEP_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_TRAINING_STEP_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/optimizer/optimizer_math.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// The numbers of an optimizer's step, where its variables lie.
//
// They change from step to step. As plain arguments of a GPU's kernels they
// would have to be known to the host, which would wait for the GPU, and would
// be fixed in a captured CUDA graph; so they lie in the GPU's memory.
//
// All with the host or on one GPU.
struct TrainingStep {
  Tensor learning_rate;  // a float64 scalar
  Tensor iterations;     // an int64 scalar: the steps before this one
  // A bool scalar: with false nothing changes. Undefined where no one decides.
  Tensor taken = {};
};

// Whether the step is one of a GPU's kernels. Errors: InvalidArgument unless
// the step's numbers are of the types above and lie with `variable`.
bool IsOnGpu(std::string_view operation, const Tensor& variable,
             const TrainingStep& step);

// Whether a step with the host changes anything.
inline bool IsTaken(const TrainingStep& step) {
  return !step.taken.defined() || step.taken.item<bool>();
}

// A learning rate that follows a count of steps on a GPU, computed there.
//
// `step` is an int64 scalar, the result a float64 scalar on its device.
// Errors of both: InvalidArgument for another step.
Tensor RateAt(const Tensor& step, const ExponentialRate& rate);

// values[0] up to and including step boundaries[0], then values[1], and so on.
// REQUIRES: ascending boundaries, and one value more.
Tensor RateAt(const Tensor& step, std::span<const int64_t> boundaries,
              std::span<const double> values);

// Whether no element of any tensor is infinite or NaN.
//
//   AllFinite({[1, 2], [3]})     // a bool scalar, true
//   AllFinite({[1, inf], [3]})   // false
//
// On the tensors' device; a GPU's answer stays there, for kernels to read.
// Types other than float32 and float64 count as finite. REQUIRES: tensors.
// Errors: InvalidArgument for tensors of several devices.
Tensor AllFinite(const std::vector<Tensor>& tensors);

// The state of dynamic loss scaling after a step, changed in place.
//
//   FollowStep(finite, /*growth_steps=*/2, scale, finite_steps);
//
// A step that was not finite halves the scale and starts the count of finite
// ones anew; after `growth_steps` of these in a row the scale is doubled, as
// long as it stays finite.
//
// Scalars: `finite` bool, `scale` float32, `finite_steps` int64. REQUIRES:
// nobody else holds the memory of the last two. Errors: InvalidArgument for
// other types or shapes, and for tensors of several devices.
void FollowStep(const Tensor& finite, int64_t growth_steps, Tensor& scale,
                Tensor& finite_steps);

// Limits on gradients, applied to the sum over replicas before an update.
//
//   std::vector<Tensor> gradients = {[3, 4]};
//   ClipByNorm(gradients, 1);   // [0.6, 0.8]
//
// The tensors are replaced, never written to. On a GPU they are replaced even
// where nothing is cut: nobody there asks the host.
//
// Shortens each gradient whose length is above `norm` to it. Lengths are
// computed in double; on a GPU, where the order of the sum is another, they may
// differ from the host's in the last places.
// Errors: InvalidArgument for tensors of several devices.
void ClipByNorm(std::vector<Tensor>& gradients, double norm);

// The same with the length of all gradients together.
void ClipByGlobalNorm(std::vector<Tensor>& gradients, double norm);

// Moves elements outside [-value, value] to its ends; NaN stays NaN. Errors as
// above, and InvalidArgument unless float32 or float64.
void ClipByValue(std::vector<Tensor>& gradients, double value);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<Tensor(const Tensor&, const ExponentialRate&)>
    ExponentialRateAt{"ExponentialDecay"};
inline constinit DeviceKernel<Tensor(const Tensor&, std::span<const int64_t>,
                                     std::span<const double>)>
    PiecewiseRateAt{"PiecewiseConstantDecay"};
inline constinit DeviceKernel<decltype(kernels::AllFinite)> AllFinite{
    "AllFinite"};
inline constinit DeviceKernel<decltype(kernels::FollowStep)> FollowStep{
    "FollowStep"};
inline constinit DeviceKernel<decltype(kernels::ClipByNorm)> ClipByNorm{
    "ClipByNorm"};
inline constinit DeviceKernel<decltype(kernels::ClipByGlobalNorm)>
    ClipByGlobalNorm{"ClipByGlobalNorm"};
inline constinit DeviceKernel<decltype(kernels::ClipByValue)> ClipByValue{
    "ClipByValue"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_TRAINING_STEP_H_
