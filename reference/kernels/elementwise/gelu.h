// The Gaussian error linear unit (Hendrycks and Gimpel, arXiv 1606.08415):
//
//   y = x * P(x), P the standard normal distribution: (1 + erf(x / sqrt(2))) / 2
//
// or its approximation, in which P(x) is
//
//   (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_GELU_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_GELU_H_

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

enum class GeluForm { kErf, kTanh };

// float32 and float64; 16-bit floats are computed in float32. The bits do not
// depend on the team's size. Errors: InvalidArgument for other types;
// Unimplemented on a GPU.
Tensor Gelu(const Tensor& x, GeluForm form);

// The gradient of x for `dy`, that of y. Errors as Gelu, and InvalidArgument for
// a dy of another type or shape.
Tensor GeluBackward(const Tensor& x, const Tensor& dy, GeluForm form);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_GELU_H_
