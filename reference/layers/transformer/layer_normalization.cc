#include "reference/layers/transformer/layer_normalization.h"

#include <array>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep {

LayerNormalizationImpl::LayerNormalizationImpl(
    const LayerNormalizationOptions& options)
    : TensorLayerImpl(options.name.empty() ? UniqueName("layer_normalization")
                                           : options.name,
                      options.dtype),
      options_(options) {
  if (!(options.epsilon >= 0)) {
    throw InvalidArgument(
        "[LayerNormalization] epsilon must be at least 0, got {}",
        options.epsilon);
  }
}

Shape LayerNormalizationImpl::ComputeOutputShape(
    const Shape& input_shape) const {
  const int last = input_shape.rank() - 1;
  if (last < 1 || input_shape[last] == kUnknownDim) {
    throw InvalidArgument(
        "[LayerNormalization] a batch axis and a last axis of known size are "
        "needed, got {}",
        ToString(input_shape));
  }
  return input_shape;
}

void LayerNormalizationImpl::MakeWeights(const Shape& input_shape) {
  const Shape shape = ComputeOutputShape(input_shape);
  length_ = shape[shape.rank() - 1];
  if (options_.scale) {
    gamma_ = AddWeight({.name = "gamma",
                        .checkpoint_name = "gamma",
                        .shape = {length_},
                        .initializer = options_.gamma_initializer,
                        .regularizer = options_.gamma_regularizer});
  }
  if (options_.center) {
    beta_ = AddWeight({.name = "beta",
                       .checkpoint_name = "beta",
                       .shape = {length_},
                       .initializer = options_.beta_initializer,
                       .regularizer = options_.beta_regularizer});
  }
}

Tensor LayerNormalizationImpl::Call(const Tensor& x, bool /*training*/) {
  ComputeOutputShape(x.shape());  // throws for wrong arguments
  if (!IsFloating(x.dtype()) || x.dim(x.rank() - 1) != length_) {
    throw InvalidArgument(
        "[LayerNormalization] '{}' normalizes {} floating numbers, got {}",
        name(), length_, Describe(x));
  }
  // At least in float32: moments would lose too much in 16 bits.
  const Tensor wide = ops::Widened(x);
  const auto weight = [&](const VariablePtr& variable) {
    return variable ? ops::Cast(variable->Read(), wide.dtype()) : Tensor();
  };
  const Tensor gamma = weight(gamma_), beta = weight(beta_);
  const Tensor y = wide.on_host()
                       ? ops::LayerNorm(wide, gamma, beta, options_.epsilon)
                       : OfSingleOperations(wide, gamma, beta);
  return ops::Cast(y, x.dtype());
}

// On a GPU, where there is no kernel for all of it.
Tensor LayerNormalizationImpl::OfSingleOperations(const Tensor& x,
                                                  const Tensor& gamma,
                                                  const Tensor& beta) const {
  const std::array last = {-1};
  const Tensor centred = x - ops::ReduceMean(x, last, /*keepdims=*/true);
  const Tensor variance =
      ops::ReduceMean(ops::Square(centred), last, /*keepdims=*/true);
  Tensor y = centred / ops::Sqrt(variance + options_.epsilon);
  if (gamma.defined()) y = y * gamma;
  if (beta.defined()) y = y + beta;
  return y;
}

LayerConfig LayerNormalizationImpl::Config() const {
  LayerConfig config = StartConfig("LayerNormalization", *this);
  config.config.update(
      {{"axis", {-1}},
       {"epsilon", options_.epsilon},
       {"center", options_.center},
       {"scale", options_.scale},
       {"beta_regularizer", RegularizerConfig(options_.beta_regularizer)},
       {"gamma_regularizer", RegularizerConfig(options_.gamma_regularizer)}});
  return config;
}

}  // namespace lockstep
