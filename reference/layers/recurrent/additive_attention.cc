#include "reference/layers/recurrent/additive_attention.h"

#include <array>
#include <vector>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/layers/may_agree.h"

namespace lockstep {
namespace {

using layers_internal::MayAgree;

enum Part { kOfValues, kOfQuery, kScore };

bool Fit(const std::vector<Shape>& shapes) {
  if (shapes.size() != 2 && shapes.size() != 3) return false;
  const Shape &query = shapes[0], &values = shapes[1];
  if (query.rank() != 2 || values.rank() != 3 || query[1] == kUnknownDim ||
      values[2] == kUnknownDim || !MayAgree(query[0], values[0])) {
    return false;
  }
  return shapes.size() == 2 ||
         (shapes[2].rank() == 2 && MayAgree(shapes[2][0], values[0]) &&
          MayAgree(shapes[2][1], values[1]));
}

std::vector<Shape> Checked(const ShapeStructure& input_shapes) {
  std::vector<Shape> shapes = input_shapes.Flatten();
  if (Fit(shapes)) return shapes;
  throw InvalidArgument(
      "[BahdanauAttention] needs a query [batch, size], values [batch, "
      "positions, size] and perhaps a mask [batch, positions], got {}",
      ToString(input_shapes));
}

// The softmax over the positions that `mask` [N, S] does not hide. A score of
// -1e30 has the weight 0 beside any other; where all are hidden, the weights
// that the softmax gives them are set to 0 as well.
Tensor MaskedSoftmax(const Tensor& scores, const Tensor& mask) {
  const Tensor seen = mask.Cast(DType::kBool).Cast(scores.dtype());
  const Tensor hidden = 1.0 - seen;
  return ops::Softmax(scores * seen - hidden * 1e30) * seen;
}

}  // namespace

BahdanauAttentionImpl::BahdanauAttentionImpl(
    int64_t units, const BahdanauAttentionOptions& options)
    : CompositeLayerImpl(options.name.empty() ? UniqueName("bahdanau_attention")
                                              : options.name),
      units_(units),
      options_(options) {
  if (units < 1) {
    throw InvalidArgument(
        "[BahdanauAttention] units must be at least 1, got {}", units);
  }
}

ShapeStructure BahdanauAttentionImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  const Shape values = Checked(input_shapes)[1];
  return ShapeStructure::Tuple(
      {Shape{values[0], values[2]}, Shape{values[0], values[1]}});
}

void BahdanauAttentionImpl::AddDense(const char* part, int64_t units,
                                     const Shape& input_shape) {
  const Dense dense(units, {.kernel_initializer = options_.kernel_initializer,
                            .bias_initializer = options_.bias_initializer,
                            .dtype = dtype_policy(),
                            .name = name() + "/" + part});
  TrackChild(part, dense.impl());
  layers_.push_back(dense);
  layers_.back().Build(input_shape);
}

void BahdanauAttentionImpl::MakeWeights(const ShapeStructure& input_shapes) {
  const std::vector<Shape> shapes = Checked(input_shapes);
  AddDense("w1", units_, shapes[1]);
  AddDense("w2", units_, shapes[0]);
  AddDense("v", 1, shapes[1].WithDim(2, units_));
}

Structure BahdanauAttentionImpl::Call(const Structure& inputs,
                                      bool /*training*/) {
  Checked(ShapesOf(inputs));
  const std::vector<Tensor> tensors = inputs.Flatten();
  const Tensor& values = tensors[1];
  const Tensor of_query = layers_[kOfQuery](tensors[0]);
  const Tensor hidden =
      ops::Tanh(layers_[kOfValues](values) +
                ops::Reshape(of_query, Shape{of_query.dim(0), 1, units_}));
  const Shape positions{values.dim(0), values.dim(1)};
  const Tensor scores =
      ops::Widened(ops::Reshape(layers_[kScore](hidden), positions));
  const Tensor weights = tensors.size() == 3 ? MaskedSoftmax(scores, tensors[2])
                                             : ops::Softmax(scores);
  const Tensor context = ops::ReduceSum(
      ops::Reshape(weights, Shape{values.dim(0), values.dim(1), 1}) *
          ops::Cast(values, weights.dtype()),
      std::array{1});
  const DType dtype = dtype_policy().compute_dtype();
  return Structure::Tuple(
      {ops::Cast(context, dtype), ops::Cast(weights, dtype)});
}

}  // namespace lockstep
