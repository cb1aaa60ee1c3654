#include "reference/autodiff/ops/array_ops.h"

#include <cstdint>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep::ops {

Tensor Reshape(const Tensor& x, const Shape& shape) {
  Tensor y = x.Reshape(shape);
  RecordOperation(
      {x}, y, [x_shape = x.shape()](const Tensor& dy, std::span<const bool>) {
        return Gradients{dy.Reshape(x_shape)};
      });
  return y;
}

Tensor Flatten(const Tensor& x) {
  if (x.rank() == 0) {
    throw InvalidArgument("[Flatten] rank 1 at least is needed, got {}",
                          Describe(x));
  }
  return Reshape(x, Shape{x.dim(0), x.shape().Tail().num_elements()});
}

Tensor Cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor y = x.Cast(dtype);
  RecordOperation({x}, y,
                  [from = x.dtype()](const Tensor& dy, std::span<const bool>) {
                    return Gradients{dy.Cast(from)};
                  });
  return y;
}

Tensor SwapLastAxes(const Tensor& x) {
  Tensor y = kernels::SwapLastAxes(x);
  RecordOperation({x}, y, [](const Tensor& dy, std::span<const bool>) {
    return Gradients{kernels::SwapLastAxes(dy)};
  });
  return y;
}

Tensor StopGradient(const Tensor& x) { return x.WithNewId(); }

namespace {

bool BroadcastsTo(const Shape& shape, const Shape& target) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1 && shape[axis] != target[axis]) return false;
  }
  return true;
}

}  // namespace

Tensor SqueezeTo(const Tensor& x, int rank) {
  if (x.rank() != rank + 1 || x.dim(rank) != 1) return x;
  return Reshape(x, Shape(x.shape().dims().first(rank)));
}

namespace {

// `x` with a last axis of length 1, if it has rank 1 and `other` has such an
// axis.
Tensor ExpandLike(const Tensor& x, const Tensor& other) {
  if (x.rank() != 1 || other.rank() != 2 || other.dim(1) != 1) return x;
  return Reshape(x, Shape{x.dim(0), 1});
}

}  // namespace

std::pair<Tensor, Tensor> SameRank(const Tensor& a, const Tensor& b) {
  const Tensor wide_a = ExpandLike(a, b);
  const Tensor wide_b = ExpandLike(b, a);
  return {SqueezeTo(wide_a, wide_b.rank()), SqueezeTo(wide_b, wide_a.rank())};
}

Tensor AlignWeights(const char* caller, const Tensor& weights,
                    const Tensor& values) {
  Tensor aligned = Cast(weights, values.dtype());
  if (aligned.rank() == 0) return aligned;
  aligned = SqueezeTo(aligned, values.rank());
  if (aligned.rank() < values.rank()) {
    const auto dims = aligned.shape().dims();
    std::vector<int64_t> padded(dims.begin(), dims.end());
    padded.resize(values.rank(), 1);
    aligned = Reshape(aligned, Shape(padded));
  }
  if (aligned.rank() != values.rank() ||
      !BroadcastsTo(aligned.shape(), values.shape())) {
    throw InvalidArgument(
        "[{}] sample weights of shape {} do not fit values of shape {}", caller,
        ToString(weights.shape()), ToString(values.shape()));
  }
  return aligned;
}

Tensor Concat(const std::vector<Tensor>& tensors, int axis) {
  Tensor joined = kernels::Concat(tensors, axis);
  if (axis < 0) axis += joined.rank();
  std::vector<int64_t> sizes;
  for (const Tensor& tensor : tensors) sizes.push_back(tensor.dim(axis));
  RecordOperation(
      tensors, joined, [sizes, axis](const Tensor& dy, std::span<const bool>) {
        const std::vector<Tensor> parts = kernels::Split(dy, sizes, axis);
        return Gradients(parts.begin(), parts.end());
      });
  return joined;
}

Tensor Gather(const Tensor& params, const Tensor& indices) {
  Tensor rows = kernels::Gather(params, indices);
  RecordGather(params, params.shape(), indices, rows);
  return rows;
}

Tensor Pad2D(const Tensor& x, const kernels::Pad2DOptions& options) {
  Tensor y = kernels::Pad2D(x, options);
  RecordOperation({x}, y, [options](const Tensor& dy, std::span<const bool>) {
    return Gradients{kernels::Pad2DBackward(dy, options)};
  });
  return y;
}

}  // namespace lockstep::ops
