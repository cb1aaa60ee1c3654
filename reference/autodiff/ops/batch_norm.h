// Differentiable batch normalization; formula, types and errors as
// kernels/batch_norm.h.
//
//   auto [y, mean, variance] = ops::BatchNorm(x, gamma, beta, {}, {});
//   Tensor z = ops::BatchNormInference(x, gamma, beta, mean, variance, {}, {});
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_BATCH_NORM_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_BATCH_NORM_H_

#include "reference/kernels/batch_norm.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// y is differentiable in x (through the moments too), gamma, beta and addend;
// through mean and variance themselves no gradient flows.
kernels::BatchNormResult BatchNorm(const Tensor& x, const Tensor& gamma,
                                   const Tensor& beta, const Tensor& addend,
                                   const kernels::BatchNormOptions& options);

// Differentiable in x, gamma, beta and addend.
Tensor BatchNormInference(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& mean,
                          const Tensor& variance, const Tensor& addend,
                          const kernels::BatchNormOptions& options);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_BATCH_NORM_H_
