// Batch normalization over the last axis, with what follows it in a residual
// network: y = relu((x - mean) / sqrt(variance + epsilon) * gamma + beta
//                   + addend), mean and variance one a channel.
//
//   x = [[1], [3]], gamma = [2], beta = [5], {.epsilon = 0}
//   BatchNorm(x, gamma, beta, {}, ...)   // y = [[3], [7]], mean [2], variance
//                                        // [1]: those of the batch
//   BatchNormInference(x, gamma, beta, [1], [4], {}, ...)   // [[5], [7]]
//
// Types: float32, float64 and, on the host, bfloat16; sums in float64. All
// tensors of one call have the same type, but with bfloat16 what there is one
// of a channel is float32, and y, dx and the addend's gradient are rounded
// once. The order of additions is fixed: the team's size does not change
// the bits. Not oneDNN's, which would sum on one thread, in float32, and whose
// ReLU turns NaN into 0.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

struct BatchNormOptions {
  double epsilon = 1e-3;
  bool relu = false;  // y = max(0, y); NaN stays NaN
};

struct BatchNormResult {
  Tensor y;
  Tensor mean;      // [C]
  Tensor variance;  // [C], divided by the number of rows, not one less
};

// Normalizes with the batch's own moments. x has at least two axes; gamma and
// beta [C] may be undefined (1 and 0), addend, of x's shape, too (nothing).
// Without rows the moments are NaN.
// Errors of all: InvalidArgument for other types and for shapes that do not
// match.
BatchNormResult BatchNorm(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& addend,
                          const BatchNormOptions& options);

// Normalizes with moments of old: each row for itself.
Tensor BatchNormInference(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& mean,
                          const Tensor& variance, const Tensor& addend,
                          const BatchNormOptions& options);

// What the forward pass leaves for its gradient.
struct BatchNormSaved {
  Tensor x;
  Tensor gamma;  // may be undefined
  Tensor mean;
  Tensor variance;
  Tensor y;  // read only with options.relu
};

struct BatchNormGradients {
  Tensor x;
  Tensor gamma;   // [C], also where there is no gamma
  Tensor beta;    // [C]
  Tensor addend;  // undefined unless asked for
};

// Gradients for dy, the gradient of BatchNorm's y: the moments, too, depend on
// x. Without rows gamma's and beta's are 0.
BatchNormGradients BatchNormBackward(const BatchNormSaved& saved,
                                     const Tensor& dy,
                                     const BatchNormOptions& options,
                                     bool need_addend);

// The same for BatchNormInference, whose moments are constants.
BatchNormGradients BatchNormInferenceBackward(const BatchNormSaved& saved,
                                              const Tensor& dy,
                                              const BatchNormOptions& options,
                                              bool need_addend);

namespace gpu {
inline constinit DeviceKernel<decltype(kernels::BatchNorm)> BatchNorm{
    "BatchNorm"};
inline constinit DeviceKernel<decltype(kernels::BatchNormInference)>
    BatchNormInference{"BatchNormInference"};
inline constinit DeviceKernel<decltype(kernels::BatchNormBackward)>
    BatchNormBackward{"BatchNormBackward"};
inline constinit DeviceKernel<decltype(kernels::BatchNormInferenceBackward)>
    BatchNormInferenceBackward{"BatchNormInferenceBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_H_
