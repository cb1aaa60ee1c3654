// Operations that change shape, type or order of elements, with gradients.
//
//   ops::Flatten(images);      // [64, 5, 5, 64] -> [64, 1600]
//   ops::Concat({a, b}, 0);    // the rows of a, then those of b
//   ops::Gather(table, ids);   // an embedding
//   ops::Slice(x, -1, 0, 8);   // the first 8 columns
//
// Types and errors of Concat, Slice, Split, Gather and Pad2D as
// kernels/movement/movement.h.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARRAY_OPS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARRAY_OPS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/kernels/movement/movement.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Shares memory. Errors: InvalidArgument if the numbers of elements differ.
Tensor Reshape(const Tensor& x, const Shape& shape);

// Merges all axes except the first. Errors: InvalidArgument for a scalar.
Tensor Flatten(const Tensor& x);

// Casts the gradient back. Errors as Tensor::Cast.
Tensor Cast(const Tensor& x, DType dtype);

// 16-bit floats as float32, others as they are: for sums, which lose too much in
// 16 bits.
Tensor Widened(const Tensor& x);

// The same values, without a gradient.
Tensor StopGradient(const Tensor& x);

// Brings the shapes that Keras' losses and metrics accept to a common form.
//
//   labels [64, 1] with values [64]: SqueezeTo(labels, 1) is [64]
//   SameRank of these gives [64, 1] and [64, 1]
//   weights [2] with values [2, 3]: AlignWeights gives [2, 1]
//
// Drops a last axis of length 1 if the tensor has one axis more than `rank`;
// else returns the tensor itself.
Tensor SqueezeTo(const Tensor& x, int rank);

// Makes the ranks equal if one tensor has an extra last axis of length 1: drops
// it, or adds it to the other tensor if that has rank 1.
std::pair<Tensor, Tensor> SameRank(const Tensor& a, const Tensor& b);

// Converts weights to the values' type and a shape that broadcasts to theirs.
// Accepts a scalar, one weight per row (or leading axes), or one per element;
// drops an extra last axis of length 1. Errors: InvalidArgument, led by
// `caller`, for other shapes.
Tensor AlignWeights(const char* caller, const Tensor& weights,
                    const Tensor& values);

Tensor Concat(const std::vector<Tensor>& tensors, int axis);

// The elements begin .. begin + size - 1 along an axis, and all such pieces of
// these sizes. A negative axis counts from the end.
//
//   ops::Slice([[1, 2, 3]], -1, 1, 2);     // [[2, 3]]
//   ops::Split([[1, 2, 3]], {1, 2}, -1);   // {[[1]], [[2, 3]]}
Tensor Slice(const Tensor& x, int axis, int64_t begin, int64_t size);
std::vector<Tensor> Split(const Tensor& x, const std::vector<int64_t>& sizes,
                          int axis);

// Joins tensors of one shape along a new axis, and takes them apart again, for
// loops over time. A negative axis counts from the end of the stacked shape.
//
//   ops::Stack({[1, 2], [3, 4]}, 1);     // [[1, 3], [2, 4]]
//   ops::Unstack([[1, 3], [2, 4]], 1);   // {[1, 2], [3, 4]}
//
// Errors: InvalidArgument as Concat and Slice.
Tensor Stack(const std::vector<Tensor>& tensors, int axis);
std::vector<Tensor> Unstack(const Tensor& x, int axis);

// [..., R, C] to [..., C, R]. Errors as kernels::SwapLastAxes.
Tensor SwapLastAxes(const Tensor& x);

// Gathers rows. GradientTape::SparseGradient returns the gradient as rows,
// Gradient a dense one with zeros for the other rows.
Tensor Gather(const Tensor& params, const Tensor& indices);

// Gathers rows of each example by itself: from params [N, L, ...] and positions
// [N, ...] of rows in [0, L). For tokens that a model predicts.
//
//   ops::BatchGather([[[1], [2]], [[3], [4]]], [[1], [0]]);   // [[[2]], [[3]]]
//
// Errors: InvalidArgument for different batches, and as kernels::RowsOfBatch.
Tensor BatchGather(const Tensor& params, const Tensor& positions);

// Pads images [N, H, W, C] with zeros.
//
//   Tensor y = ops::Pad2D(x, {.top = 1, .bottom = 1, .left = 1, .right = 1});
Tensor Pad2D(const Tensor& x, const kernels::Pad2DOptions& options);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_ARRAY_OPS_H_
