// One step of each optimizer on a list of variables, in place, by Keras'
// formulas, on the variables' device. The bits do not depend on the thread
// team's size.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_UPDATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_UPDATE_H_

#include <cstdint>
#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/optimizer/optimizer_math.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// The scalars of one step, on the device of the variables.
//
// They change from step to step. If the host passed them as arguments of GPU
// kernels, it would have to wait for the GPU, and a captured CUDA graph would
// keep their first values. So kernels read them from the GPU's memory.
//
// All on the host or on one GPU.
struct StepScalars {
  Tensor learning_rate;  // a float64 scalar
  Tensor iterations;     // an int64 scalar: the number of steps before this one
  // A bool scalar: if false, the step changes nothing. Undefined means true.
  Tensor taken = {};
};

// One step of gradient descent.
//
//   without momentum:  variable -= gradient * learning_rate
//   with it:  velocity = velocity * momentum - gradient * learning_rate
//             variable += velocity
//   Nesterov:  variable += velocity * momentum - gradient * learning_rate
//
// All of one shape, all float32 or all float64. `gradient` is only read.
// `velocity` may be nullptr when the momentum is 0.
struct SgdItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* velocity = nullptr;
};

struct SgdOptions {
  double momentum = 0.0;
  bool nesterov = false;
};

// REQUIRES: no other tensor shares the memory written to. Errors:
// InvalidArgument, before anything is written, for different types or shapes, a
// missing velocity, and tensors on different devices.
void SgdUpdate(std::span<const SgdItem> items, const SgdOptions& options,
               const StepScalars& step);

// One step of Adam.
//
//   alpha = learning_rate * sqrt(1 - beta_2^step) / (1 - beta_1^step)
//   momentum += (gradient - momentum) * (1 - beta_1)
//   velocity += (gradient^2 - velocity) * (1 - beta_2)
//   variable -= momentum * alpha / (sqrt(velocity) + epsilon)
//
//   AdamItem item{&w, &gradient, &m, &v};
//   AdamUpdate({&item, 1}, {}, {.learning_rate = rate, .iterations = count});
//
// where `step` is one more than the iterations.
//
// All of one shape, all float32 or all float64. `gradient` is only read.
struct AdamItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* momentum;
  Tensor* velocity;
};

// REQUIRES: no other tensor shares the memory written to. Errors:
// InvalidArgument, before anything is written, for different types or shapes,
// tensors on different devices and, on the host, iterations below 0.
void AdamUpdate(std::span<const AdamItem> items, const AdamOptions& options,
                const StepScalars& step);

// One step of Adagrad.
//
//   accumulator += gradient^2
//   variable -= learning_rate * gradient / sqrt(accumulator + epsilon)
//
// All of one shape, all float32 or all float64. `gradient` is only read.
struct AdagradItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* accumulator;
};

struct AdagradOptions {
  double epsilon = 1e-7;
};

// REQUIRES: no other tensor shares the memory written to. Errors:
// InvalidArgument, before anything is written, for different types or shapes
// and for tensors on different devices.
void AdagradUpdate(std::span<const AdagradItem> items,
                   const AdagradOptions& options, const StepScalars& step);

// One step of RMSprop.
//
//   velocity = rho * velocity + (1 - rho) * gradient^2
//   variable -= learning_rate * gradient / sqrt(velocity + epsilon)
//
// All of one shape, all float32 or all float64. `gradient` is only read.
struct RmsPropItem {
  Tensor* variable;
  const Tensor* gradient;
  Tensor* velocity;
};

struct RmsPropOptions {
  double rho = 0.9;
  double epsilon = 1e-7;
};

// REQUIRES: no other tensor shares the memory written to. Errors:
// InvalidArgument, before anything is written, for different types or shapes
// and for tensors on different devices.
void RmsPropUpdate(std::span<const RmsPropItem> items,
                   const RmsPropOptions& options, const StepScalars& step);

// Weight decay: subtracts a share of each variable, `decay` times the step's
// learning rate.
//
//   variable -= variable * decay * learning_rate
//
// REQUIRES: no other tensor shares the memory of the variables. Errors:
// InvalidArgument unless all are float32 or all float64, and on the device of
// the step's scalars.
void DecayWeights(std::span<Tensor* const> variables, double decay,
                  const StepScalars& step);

// Exponential moving averages of variables, after `steps` steps.
//
//   average = momentum * average + (1 - momentum) * variable
//
// The momentum of the first step is 0. After every `overwrite_frequency` steps
// a variable is set to its average.
//
// Both have one shape and are float32 or float64.
struct AverageItem {
  Tensor* variable;
  Tensor* average;
};

struct AverageOptions {
  double momentum = 0.99;
  int64_t overwrite_frequency = 0;  // 0: never
};

// `steps` is an int64 scalar, the steps up to this one; `taken` as of
// StepScalars. REQUIRES: no other tensor shares the memory written to. Errors:
// InvalidArgument, before anything is written, for different types or shapes
// and for tensors on different devices.
void AverageWeights(std::span<const AverageItem> items,
                    const AverageOptions& options, const Tensor& steps,
                    const Tensor& taken = {});

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<void(std::span<const SgdItem>, const SgdOptions&,
                                   const StepScalars&)>
    SgdUpdate{"SgdUpdate"};
inline constinit DeviceKernel<void(std::span<const AdamItem>,
                                   const AdamOptions&, const StepScalars&)>
    AdamUpdate{"AdamUpdate"};
inline constinit DeviceKernel<void(std::span<const AdagradItem>,
                                   const AdagradOptions&, const StepScalars&)>
    AdagradUpdate{"AdagradUpdate"};
inline constinit DeviceKernel<void(std::span<const RmsPropItem>,
                                   const RmsPropOptions&, const StepScalars&)>
    RmsPropUpdate{"RmsPropUpdate"};
inline constinit DeviceKernel<void(std::span<Tensor* const>, double,
                                   const StepScalars&)>
    DecayWeights{"DecayWeights"};
inline constinit DeviceKernel<void(std::span<const AverageItem>,
                                   const AverageOptions&, const Tensor&,
                                   const Tensor&)>
    AverageWeights{"AverageWeights"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_UPDATE_H_
