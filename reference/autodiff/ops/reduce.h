// Differentiable sums and means; types and errors as kernels/reduce.h.
//
//   ops::ReduceMean(ops::Square(x), std::array{-1});
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_REDUCE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_REDUCE_H_

#include <span>

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Over all axes: a scalar.
Tensor ReduceSum(const Tensor& x);
Tensor ReduceMean(const Tensor& x);

Tensor ReduceSum(const Tensor& x, std::span<const int> axes,
                 bool keepdims = false);
Tensor ReduceMean(const Tensor& x, std::span<const int> axes,
                  bool keepdims = false);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_REDUCE_H_
