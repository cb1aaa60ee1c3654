// The same elements in another shape, type or order, with gradients.
//
//   ops::Flatten(images);      // [64, 5, 5, 64] -> [64, 1600]
//   ops::Concat({a, b}, 0);    // the rows of a, then those of b
//   ops::Gather(table, ids);   // an embedding
//
// Types and errors of Concat, Gather and Pad2D as kernels/movement/movement.h.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARRAY_OPS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARRAY_OPS_H_

#include <utility>
#include <vector>

#include "reference/kernels/movement/movement.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Shares memory. Errors: InvalidArgument when the numbers of elements differ.
Tensor Reshape(const Tensor& x, const Shape& shape);

// All axes but the first become one. Errors: InvalidArgument for a scalar.
Tensor Flatten(const Tensor& x);

// The gradient is cast back. Errors as Tensor::Cast.
Tensor Cast(const Tensor& x, DType dtype);

// The same values, through which no gradient flows.
Tensor StopGradient(const Tensor& x);

// The shapes Keras' losses and metrics accept, brought together.
//
//   labels [64, 1] with values [64]: SqueezeTo(labels, 1) is [64]
//   SameRank of these gives [64, 1] and [64, 1]
//   weights [2] with values [2, 3]: AlignWeights gives [2, 1]
//
// Drops a last axis of length 1 when the tensor has one axis more than `rank`;
// else the tensor itself.
Tensor SqueezeTo(const Tensor& x, int rank);

// Both with the same number of axes, where one has one more, of length 1, at the
// end: it goes, or where the other is of rank 1 that one gets it too.
std::pair<Tensor, Tensor> SameRank(const Tensor& a, const Tensor& b);

// Weights in the values' type and in a shape that broadcasts to theirs: a
// scalar, one weight a row (or leading axes), or one an element; an extra last
// axis of length 1 is dropped.
// Errors: InvalidArgument, led by `caller`, for other shapes.
Tensor AlignWeights(const char* caller, const Tensor& weights,
                    const Tensor& values);

Tensor Concat(const std::vector<Tensor>& tensors, int axis);

// [..., R, C] as [..., C, R]; errors as kernels::SwapLastAxes.
Tensor SwapLastAxes(const Tensor& x);

// Rows by number. GradientTape::SparseGradient gives the gradient as rows;
// Gradient a dense one, with zeros for rows that were not looked up.
Tensor Gather(const Tensor& params, const Tensor& indices);

// Zeros around images [N, H, W, C].
//
//   Tensor y = ops::Pad2D(x, {.top = 1, .bottom = 1, .left = 1, .right = 1});
Tensor Pad2D(const Tensor& x, const kernels::Pad2DOptions& options);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARRAY_OPS_H_
