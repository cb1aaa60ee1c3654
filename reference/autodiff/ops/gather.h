// Differentiable look-up of rows; types and errors as kernels/gather.h.
//
//   ops::Gather(table, ids);   // an embedding
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_GATHER_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_GATHER_H_

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// The gradient is dense: rows that were not looked up get zeros.
Tensor Gather(const Tensor& params, const Tensor& indices);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_GATHER_H_
