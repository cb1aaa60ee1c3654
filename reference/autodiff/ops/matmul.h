// Differentiable matrix products; types and errors as kernels/matmul.h and
// kernels/dense.h.
//
//   ops::Dense(x, kernel, bias, /*relu=*/true);   // one pass over the output
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATMUL_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATMUL_H_

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a = false,
              bool transpose_b = false);

// x times kernel plus bias; `bias` may be undefined.
Tensor Dense(const Tensor& x, const Tensor& kernel, const Tensor& bias,
             bool relu = false);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATMUL_H_
