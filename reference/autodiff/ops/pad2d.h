// Differentiable zeros around images [N, H, W, C]; errors as kernels/pad2d.h.
//
//   Tensor y = ops::Pad2D(x, {.top = 1, .bottom = 1, .left = 1, .right = 1});
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_PAD2D_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_PAD2D_H_

#include "reference/kernels/pad2d.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

Tensor Pad2D(const Tensor& x, const kernels::Pad2DOptions& options);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_PAD2D_H_
