#include "reference/layers/recurrent/recurrent_cell.h"

#include <vector>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/autodiff/ops/recurrent_ops.h"
#include "reference/base/error.h"

namespace lockstep::layers_internal {
namespace {

// Those of `initializer`, but 1 for the forget gates, the second of four.
Initializer WithForgetBias(const Initializer& initializer) {
  return [initializer](const Shape& shape, Random& random) {
    const int64_t units = shape[0] / 4;
    const Tensor given = initializer(shape, random);
    const Tensor ones =
        initializers::Ones()(Shape{units}, random).To(given.device());
    return ops::Concat({ops::Slice(given, 0, 0, units), ones,
                        ops::Slice(given, 0, 2 * units, 2 * units)},
                       0);
  };
}

}  // namespace

RecurrentCellImpl::RecurrentCellImpl(RecurrentKind kind, int64_t units,
                                     const std::string& name,
                                     const RecurrentOptions& options,
                                     const DTypePolicy& dtype)
    : LayerImpl(name, dtype), kind_(kind), units_(units), options_(options) {}

ShapeStructure RecurrentCellImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  const std::vector<Shape> shapes = input_shapes.Flatten();
  return shapes[0].WithDim(2, shapes[1][1]);
}

void RecurrentCellImpl::MakeWeights(const ShapeStructure& input_shapes) {
  const int64_t width = gates() * units_;
  kernel_ = AddWeight({.name = "kernel",
                       .checkpoint_name = "kernel",
                       .shape = {input_shapes.Flatten()[0][2], width},
                       .initializer = options_.kernel_initializer,
                       .regularizer = options_.kernel_regularizer});
  recurrent_kernel_ =
      AddWeight({.name = "recurrent_kernel",
                 .checkpoint_name = "recurrent_kernel",
                 .shape = {units_, width},
                 .initializer = options_.recurrent_initializer,
                 .regularizer = options_.recurrent_regularizer});
  if (!options_.use_bias) return;
  const bool gru = kind_ == RecurrentKind::kGru;
  bias_ =
      AddWeight({.name = "bias",
                 .checkpoint_name = "bias",
                 .shape = gru ? Shape{2, width} : Shape{width},
                 .initializer = gru ? options_.bias_initializer
                                    : WithForgetBias(options_.bias_initializer),
                 .regularizer = options_.bias_regularizer});
}

Tensor RecurrentCellImpl::Projected(const Tensor& x, const Tensor& bias) const {
  const int64_t rows = x.dim(0) * x.dim(1);
  const Tensor y =
      ops::Dense(ops::Reshape(x, Shape{rows, x.dim(2)}), Read(kernel_), bias);
  return ops::Widened(ops::Reshape(y, x.shape().WithDim(2, gates() * units_)));
}

Tensor RecurrentCellImpl::CallGru(const Tensor& x,
                                  const Tensor& initial) const {
  const int64_t width = gates() * units_;
  const Tensor recurrent = ops::Widened(Read(recurrent_kernel_));
  if (bias_ == nullptr) {
    return ops::Gru(
        {.projected = Projected(x, Tensor()),
         .recurrent = recurrent,
         .bias = Tensor::Zeros(Shape{width}, initial.dtype(), initial.device()),
         .initial = initial});
  }
  const std::vector<Tensor> biases = ops::Unstack(Read(bias_), 0);
  return ops::Gru({.projected = Projected(x, biases[0]),
                   .recurrent = recurrent,
                   .bias = ops::Widened(biases[1]),
                   .initial = initial});
}

Tensor RecurrentCellImpl::CallLstm(const Tensor& x,
                                   const Tensor& initial) const {
  return ops::Lstm({.projected = Projected(x, Read(bias_)),
                    .recurrent = ops::Widened(Read(recurrent_kernel_)),
                    .initial = initial});
}

Structure RecurrentCellImpl::Call(const Structure& inputs, bool /*training*/) {
  const std::vector<Tensor> tensors = inputs.Flatten();
  const Tensor& x = tensors[0];
  if (x.dim(2) != kernel_->shape()[0]) {
    throw InvalidArgument("[{}] was built for {} features, got {}", name(),
                          kernel_->shape()[0], Describe(x));
  }
  const Tensor initial = ops::Widened(tensors[1]);
  return kind_ == RecurrentKind::kGru ? CallGru(x, initial)
                                      : CallLstm(x, initial);
}

}  // namespace lockstep::layers_internal
