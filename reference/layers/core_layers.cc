#include "reference/layers/core_layers.h"

#include <array>
#include <utility>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/layers/layer.h"

namespace lockstep {
namespace {

constexpr std::array<std::pair<Activation, std::string_view>, 5> kNames = {
    {{Activation::kLinear, "linear"},
     {Activation::kRelu, "relu"},
     {Activation::kSigmoid, "sigmoid"},
     {Activation::kSoftmax, "softmax"},
     {Activation::kTanh, "tanh"}}};

}  // namespace

std::string_view ActivationName(Activation activation) {
  return kNames[static_cast<size_t>(activation)].second;
}

Activation ParseActivation(std::string_view name) {
  for (const auto& [activation, known] : kNames) {
    if (known == name) return activation;
  }
  throw InvalidArgument("[Activation] no activation is named '{}'", name);
}

Tensor Activate(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::kRelu:
      return ops::Relu(x);
    case Activation::kSigmoid:
      return ops::Sigmoid(x);
    case Activation::kSoftmax:
      return ops::Softmax(x);
    case Activation::kTanh:
      return ops::Tanh(x);
    case Activation::kLinear:
      break;
  }
  return x;
}

ReLU::ReLU(const std::string& name)
    : Layer(name.empty() ? UniqueName("re_lu") : name) {}

Shape ReLU::ComputeOutputShape(const Shape& input_shape) const {
  return input_shape;
}

Tensor ReLU::Call(const Tensor& x, bool /*training*/) { return ops::Relu(x); }

Flatten::Flatten(const std::string& name)
    : Layer(name.empty() ? UniqueName("flatten") : name) {}

Shape Flatten::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() == 0 || !input_shape.Tail().fully_defined()) {
    throw InvalidArgument(
        "[Flatten] only the batch axis may be unknown, got {}",
        ToString(input_shape));
  }
  return {input_shape[0], input_shape.Tail().num_elements()};
}

Tensor Flatten::Call(const Tensor& x, bool /*training*/) {
  return ops::Flatten(x);
}

Dense::Dense(int64_t units, const DenseOptions& options)
    : Layer(options.name.empty() ? UniqueName("dense") : options.name,
            options.dtype),
      units_(units),
      options_(options) {
  if (units < 1) {
    throw InvalidArgument("[Dense] units must be at least 1, got {}", units);
  }
}

Shape Dense::ComputeOutputShape(const Shape& input_shape) const {
  const int last = input_shape.rank() - 1;
  if (last < 1 || input_shape[last] == kUnknownDim) {
    throw InvalidArgument(
        "[Dense] a batch axis and a last axis of known size are needed, got {}",
        ToString(input_shape));
  }
  return input_shape.WithDim(last, units_);
}

void Dense::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // for its errors
  kernel_ = AddWeight({.name = "kernel",
                       .checkpoint_name = "_kernel",
                       .shape = {input_shape[input_shape.rank() - 1], units_},
                       .initializer = options_.kernel_initializer,
                       .regularizer = options_.kernel_regularizer});
  if (!options_.use_bias) return;
  bias_ = AddWeight({.name = "bias",
                     .checkpoint_name = "bias",
                     .shape = {units_},
                     .initializer = options_.bias_initializer,
                     .regularizer = options_.bias_regularizer});
}

Tensor Dense::Call(const Tensor& x, bool /*training*/) {
  const Shape output_shape = ComputeOutputShape(x.shape());
  const int64_t inputs = x.dim(x.rank() - 1);
  // Leading axes are all the batch to the kernel.
  const bool matrix = x.rank() == 2;
  const int64_t rows = output_shape.num_elements() / units_;
  const Tensor rows_of_x = matrix ? x : ops::Reshape(x, Shape{rows, inputs});
  const bool relu = options_.activation == Activation::kRelu;
  const Tensor y = ops::Dense(rows_of_x, Read(kernel_), Read(bias_), relu);
  const Tensor shaped = matrix ? y : ops::Reshape(y, output_shape);
  return relu ? shaped : Activate(options_.activation, shaped);
}

}  // namespace lockstep
