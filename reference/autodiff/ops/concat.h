// Differentiable concatenation; types and errors as kernels/concat.h.
//
//   ops::Concat({a, b}, 0);   // the rows of a, then those of b
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_CONCAT_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_CONCAT_H_

#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

Tensor Concat(const std::vector<Tensor>& tensors, int axis);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_CONCAT_H_
