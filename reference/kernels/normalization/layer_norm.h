// Layer normalization (Ba, Kiros and Hinton, arXiv 1607.06450), along the last
// axis:
//
//   y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
//
// with the mean and the variance of each row. A row is normalized by itself, so
// that replicas need not exchange anything.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_LAYER_NORM_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_LAYER_NORM_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// What the gradient needs.
struct LayerNormSaved {
  Tensor x;
  Tensor gamma;  // may be undefined
  Tensor means,
      scales;  // one number for each row; 1 / sqrt(variance + epsilon)
};

struct LayerNormResult {
  Tensor y;
  LayerNormSaved saved;
};

// x [..., n]; gamma and beta [n] of its type, or undefined. float32 and float64,
// sums in float64. The bits do not depend on the team's size. Errors:
// InvalidArgument for other types and shapes; Unimplemented on a GPU.
LayerNormResult LayerNorm(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, double epsilon);

struct LayerNormGradients {
  Tensor x, gamma, beta;
};

// For `dy`, the gradient of y. Errors as LayerNorm, and InvalidArgument for a dy
// of another type or shape.
LayerNormGradients LayerNormBackward(const LayerNormSaved& saved,
                                     const Tensor& dy);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_LAYER_NORM_H_
