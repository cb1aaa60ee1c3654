#include "reference/layers/transformer/projection.h"

#include <vector>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"

namespace lockstep::layers_internal {
namespace {

// The axes of one shape, then those of another.
Shape Joined(std::span<const int64_t> head, std::span<const int64_t> tail) {
  std::vector<int64_t> dims(head.begin(), head.end());
  dims.insert(dims.end(), tail.begin(), tail.end());
  return Shape(dims);
}

}  // namespace

ProjectionImpl::ProjectionImpl(const std::string& name,
                               const ProjectionOptions& options)
    : TensorLayerImpl(name, options.dtype), options_(options) {}

Shape ProjectionImpl::ComputeOutputShape(const Shape& input_shape) const {
  const int kept = input_shape.rank() - options_.contracted_axes;
  bool known = kept >= 1;
  for (int axis = kept; known && axis < input_shape.rank(); ++axis) {
    known = input_shape[axis] != kUnknownDim;
  }
  if (!known) {
    throw InvalidArgument(
        "[{}] a batch axis and {} of known size at the end are needed, got {}",
        name(), options_.contracted_axes, ToString(input_shape));
  }
  return Joined(input_shape.dims().first(kept), options_.outputs.dims());
}

void ProjectionImpl::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // for its errors
  kernel_ = AddWeight(
      {.name = "kernel",
       .checkpoint_name = "_kernel",
       .shape = Joined(input_shape.dims().last(options_.contracted_axes),
                       options_.outputs.dims()),
       .initializer = options_.kernel_initializer,
       .regularizer = options_.kernel_regularizer});
  if (!options_.use_bias) return;
  bias_ = AddWeight({.name = "bias",
                     .checkpoint_name = "bias",
                     .shape = options_.outputs,
                     .initializer = options_.bias_initializer,
                     .regularizer = options_.bias_regularizer});
}

Tensor ProjectionImpl::Call(const Tensor& x, bool /*training*/) {
  const Shape output_shape = ComputeOutputShape(x.shape());
  const int64_t outputs = options_.outputs.num_elements();
  const int64_t inputs = kernel_->shape().num_elements() / outputs;
  const Shape contracted(x.shape().dims().last(options_.contracted_axes));
  if (contracted.num_elements() != inputs) {
    throw InvalidArgument("[{}] was made for {} numbers at the end, got {}",
                          name(), inputs, Describe(x));
  }
  const int64_t rows = output_shape.num_elements() / outputs;
  const Tensor bias =
      bias_ ? ops::Reshape(Read(bias_), Shape{outputs}) : Tensor();
  const Tensor y =
      ops::Dense(ops::Reshape(x, Shape{rows, inputs}),
                 ops::Reshape(Read(kernel_), Shape{inputs, outputs}), bias);
  return ops::Reshape(y, output_shape);
}

}  // namespace lockstep::layers_internal
