#include "reference/autodiff/ops/array_ops.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
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

Tensor Widened(const Tensor& x) {
  return IsNarrowFloat(x.dtype()) ? Cast(x, DType::kFloat32) : x;
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

namespace {

// `dy` with zeros around it along `axis`, up to `shape`.
Tensor WithZerosAround(const Tensor& dy, int axis, int64_t begin,
                       const Shape& shape) {
  const auto zeros = [&](int64_t size) {
    return Tensor::Zeros(shape.WithDim(axis, size), dy.dtype(), dy.device());
  };
  const int64_t after = shape[axis] - begin - dy.dim(axis);
  return kernels::Concat(std::vector<Tensor>{zeros(begin), dy, zeros(after)},
                         axis);
}

}  // namespace

Tensor Slice(const Tensor& x, int axis, int64_t begin, int64_t size) {
  const int at = kernels_internal::NormalizeAxis("Slice", axis, x.rank());
  Tensor piece = kernels::Slice(x, at, begin, size);
  RecordOperation(
      {x}, piece,
      [shape = x.shape(), at, begin](const Tensor& dy, std::span<const bool>) {
        return Gradients{WithZerosAround(dy, at, begin, shape)};
      });
  return piece;
}

std::vector<Tensor> Split(const Tensor& x, const std::vector<int64_t>& sizes,
                          int axis) {
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  const int at = kernels_internal::NormalizeAxis("Split", axis, x.rank());
  if (total != x.dim(at)) {
    throw InvalidArgument(
        "[Split] sizes must add up to axis {} of {}, their sum is {}", axis,
        Describe(x), total);
  }
  std::vector<Tensor> pieces;
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    pieces.push_back(Slice(x, at, begin, size));
    begin += size;
  }
  return pieces;
}

Tensor Stack(const std::vector<Tensor>& tensors, int axis) {
  if (tensors.empty()) throw InvalidArgument("[Stack] got no tensors");
  const int at =
      kernels_internal::NormalizeAxis("Stack", axis, tensors[0].rank() + 1);
  std::vector<Tensor> wider;
  for (const Tensor& tensor : tensors) {
    if (tensor.shape() != tensors[0].shape()) {
      throw InvalidArgument(
          "[Stack] tensors must have one shape, got {} and {}",
          Describe(tensors[0]), Describe(tensor));
    }
    const auto dims = tensor.shape().dims();
    std::vector<int64_t> with_axis(dims.begin(), dims.end());
    with_axis.insert(with_axis.begin() + at, 1);
    wider.push_back(Reshape(tensor, Shape(with_axis)));
  }
  return Concat(wider, at);
}

std::vector<Tensor> Unstack(const Tensor& x, int axis) {
  const int at = kernels_internal::NormalizeAxis("Unstack", axis, x.rank());
  const auto dims = x.shape().dims();
  std::vector<int64_t> rest(dims.begin(), dims.end());
  rest.erase(rest.begin() + at);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < x.dim(at); ++i) {
    parts.push_back(Reshape(Slice(x, at, i, 1), Shape(rest)));
  }
  return parts;
}

Tensor BatchGather(const Tensor& params, const Tensor& positions) {
  if (params.rank() < 2 || positions.rank() < 1 ||
      params.dim(0) != positions.dim(0)) {
    throw InvalidArgument(
        "[BatchGather] params [N, L, ...] and positions [N, ...] must have one "
        "batch, got {} and {}",
        Describe(params), Describe(positions));
  }
  const auto dims = params.shape().dims();
  std::vector<int64_t> merged(dims.begin() + 1, dims.end());
  merged[0] *= dims[0];
  return Gather(Reshape(params, Shape(merged)),
                kernels::RowsOfBatch(positions, params.dim(1)));
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
