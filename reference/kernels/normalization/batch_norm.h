// Batch normalization over the last axis, with the operations that follow it in
// a residual network:
//
//   y = relu((x - mean) / sqrt(variance + epsilon) * gamma + beta + addend)
//
// with one mean and variance per channel.
//
//   x = [[1], [3]], gamma = [2], beta = [5], {.epsilon = 0}
//   BatchNorm(x, gamma, beta, {}, ...)   // y = [[3], [7]], mean [2], variance
//                                        // [1]: those of the batch
//   BatchNormInference(x, gamma, beta, [1], [4], {}, ...)   // [[5], [7]]
//
// Types: float32, float64 and, on the host, bfloat16; sums in float64. All
// tensors of one call have the same type, except that values per channel are
// float32 for bfloat16. y, dx and the addend's gradient are rounded once. The
// order of additions is fixed: the team's size does not change the bits.
// oneDNN's kernel is not used: it sums on one thread, in float32, and its ReLU
// turns NaN into 0.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_H_

#include <cstdint>
#include <functional>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

struct BatchNormOptions {
  double epsilon = 1e-3;
  bool relu = false;  // y = max(0, y); NaN stays NaN

  // Set where the batch's rows are in several tensors, as those of replicas:
  // returns `part`, a float64 vector of sums over this tensor's rows, added to
  // those of the others. Called once by BatchNorm and once by its gradient, on
  // the host only. The gradients of gamma and beta are this tensor's.
  std::function<Tensor(const Tensor& part)> add_parts = nullptr;
};

struct BatchNormResult {
  Tensor y;
  Tensor mean;       // [C]
  Tensor variance;   // [C], divided by the number of rows, not by one less
  int64_t rows = 0;  // of all parts
};

// Normalizes with the moments of the batch. x has at least two axes. gamma and
// beta [C] may be undefined (1 and 0), and so may addend, which has x's shape.
// Without rows the moments are NaN. Errors of all: InvalidArgument for other
// types, for shapes that do not match, and for parts on a GPU.
BatchNormResult BatchNorm(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& addend,
                          const BatchNormOptions& options);

// Normalizes with given moments, so that rows are independent.
Tensor BatchNormInference(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& mean,
                          const Tensor& variance, const Tensor& addend,
                          const BatchNormOptions& options);

// What the forward pass saves for the gradient.
struct BatchNormSaved {
  Tensor x;
  Tensor gamma;  // may be undefined
  Tensor mean;
  Tensor variance;
  Tensor y;  // read only with options.relu
};

struct BatchNormGradients {
  Tensor x;
  Tensor gamma;   // [C], also without gamma
  Tensor beta;    // [C]
  Tensor addend;  // undefined unless requested
};

// Gradients for dy, the gradient of BatchNorm's y. The moments depend on x too.
// Without rows the gradients of gamma and beta are 0.
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
