#include "reference/layers/core_layers.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {
namespace {

using NamedActivation = std::pair<Activation, std::string_view>;

constexpr std::array<NamedActivation, 7> kNames = {
    {{Activation::kLinear, "linear"},
     {Activation::kGelu, "gelu"},
     {Activation::kGeluTanh, "gelu_tanh"},
     {Activation::kRelu, "relu"},
     {Activation::kSigmoid, "sigmoid"},
     {Activation::kSoftmax, "softmax"},
     {Activation::kTanh, "tanh"}}};

}  // namespace

Activation ParseActivation(std::string_view name) {
  for (const auto& [activation, known] : kNames) {
    if (known == name) return activation;
  }
  throw InvalidArgument("[Activation] no activation is named '{}'", name);
}

std::string_view ActivationName(Activation activation) {
  return std::ranges::find(kNames, activation, &NamedActivation::first)->second;
}

std::string_view ActivationConfig(Activation activation) {
  if (activation != Activation::kGeluTanh) return ActivationName(activation);
  throw Unimplemented(
      "[Config] Keras has no name for the approximated gelu, so files cannot "
      "store it: kGelu, by the erf, can be stored");
}

Tensor Activate(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::kGelu:
      return ops::Gelu(x, kernels::GeluForm::kErf);
    case Activation::kGeluTanh:
      return ops::Gelu(x, kernels::GeluForm::kTanh);
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

ReLUImpl::ReLUImpl(const std::string& name)
    : TensorLayerImpl(name.empty() ? UniqueName("re_lu") : name) {}

Shape ReLUImpl::ComputeOutputShape(const Shape& input_shape) const {
  return input_shape;
}

Epilogue ReLUImpl::AsEpilogue() const {
  return {.relu = IsExactly<ReLUImpl>()};
}

Tensor ReLUImpl::Call(const Tensor& x, bool /*training*/) {
  return ops::Relu(x);
}

LayerConfig ReLUImpl::Config() const {
  LayerConfig config = StartConfig("ReLU", *this);
  config.config.update(
      {{"max_value", nullptr}, {"negative_slope", 0.0}, {"threshold", 0.0}});
  return config;
}

ActivationImpl::ActivationImpl(Activation activation, const std::string& name)
    : TensorLayerImpl(name.empty() ? UniqueName("activation") : name),
      activation_(activation) {}

Shape ActivationImpl::ComputeOutputShape(const Shape& input_shape) const {
  return input_shape;
}

Epilogue ActivationImpl::AsEpilogue() const {
  return {.relu =
              activation_ == Activation::kRelu && IsExactly<ActivationImpl>()};
}

Tensor ActivationImpl::Call(const Tensor& x, bool /*training*/) {
  return Activate(activation_, x);
}

LayerConfig ActivationImpl::Config() const {
  LayerConfig config = StartConfig("Activation", *this);
  config.config["activation"] = ActivationConfig(activation_);
  return config;
}

FlattenImpl::FlattenImpl(const std::string& name)
    : TensorLayerImpl(name.empty() ? UniqueName("flatten") : name) {}

Shape FlattenImpl::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() == 0 || !input_shape.Tail().fully_defined()) {
    throw InvalidArgument(
        "[Flatten] only the batch axis may be unknown, got {}",
        ToString(input_shape));
  }
  return {input_shape[0], input_shape.Tail().num_elements()};
}

Tensor FlattenImpl::Call(const Tensor& x, bool /*training*/) {
  return ops::Flatten(x);
}

LayerConfig FlattenImpl::Config() const {
  return StartConfig("Flatten", *this);
}

DenseImpl::DenseImpl(int64_t units, const DenseOptions& options)
    : TensorLayerImpl(options.name.empty() ? UniqueName("dense") : options.name,
                      options.dtype),
      units_(units),
      options_(options) {
  if (units < 1) {
    throw InvalidArgument("[Dense] units must be at least 1, got {}", units);
  }
}

Shape DenseImpl::ComputeOutputShape(const Shape& input_shape) const {
  const int last = input_shape.rank() - 1;
  if (last < 1 || input_shape[last] == kUnknownDim) {
    throw InvalidArgument(
        "[Dense] inputs must have a batch axis and a last axis of known size, "
        "got {}{}",
        ToString(input_shape),
        last < 1 ? "; is the dataset batched? Batch(n) does it" : "");
  }
  return input_shape.WithDim(last, units_);
}

void DenseImpl::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // throws for wrong arguments
  width_ = input_shape[input_shape.rank() - 1];
  kernel_ = AddWeight({.name = "kernel",
                       .checkpoint_name = "_kernel",
                       .shape = {width_, units_},
                       .initializer = options_.kernel_initializer,
                       .regularizer = options_.kernel_regularizer});
  if (!options_.use_bias) return;
  bias_ = AddWeight({.name = "bias",
                     .checkpoint_name = "bias",
                     .shape = {units_},
                     .initializer = options_.bias_initializer,
                     .regularizer = options_.bias_regularizer});
}

namespace {

// Integers in the compute type: they are what a layer counted.
Tensor Floating(const Tensor& x, const LayerImpl& layer) {
  if (!IsInteger(x.dtype())) return x;
  return ops::Cast(x, layer.dtype_policy().compute_dtype());
}

}  // namespace

Tensor DenseImpl::Call(const Tensor& given, bool /*training*/) {
  const Tensor x = Floating(given, *this);
  const Shape output_shape = ComputeOutputShape(x.shape());
  if (x.dim(x.rank() - 1) != width_) {
    throw InvalidArgument(
        "[Dense] '{}' wants inputs of shape (..., {}), got {}", name(), width_,
        ToString(x.shape()));
  }
  // To the kernel, all leading axes are the batch.
  const bool matrix = x.rank() == 2;
  const int64_t rows = output_shape.num_elements() / units_;
  const Tensor rows_of_x = matrix ? x : ops::Reshape(x, Shape{rows, width_});
  const bool relu = options_.activation == Activation::kRelu;
  const Tensor y = ops::Dense(rows_of_x, Read(kernel_), Read(bias_), relu);
  const Tensor shaped = matrix ? y : ops::Reshape(y, output_shape);
  return relu ? shaped : Activate(options_.activation, shaped);
}

LayerConfig DenseImpl::Config() const {
  LayerConfig config = StartConfig("Dense", *this);
  config.config.update(
      {{"units", units_},
       {"activation", ActivationConfig(options_.activation)},
       {"use_bias", options_.use_bias},
       {"kernel_regularizer", RegularizerConfig(options_.kernel_regularizer)},
       {"bias_regularizer", RegularizerConfig(options_.bias_regularizer)}});
  return config;
}

namespace {

// The shape of two or more tensors. Errors: InvalidArgument, led by `layer`, for
// fewer and for different shapes.
Shape OneShapeOf(const char* layer, const ShapeStructure& input_shapes) {
  const std::vector<Shape> shapes = input_shapes.Flatten();
  const auto same = [&](const Shape& shape) { return shape == shapes[0]; };
  if (shapes.size() < 2 || !std::ranges::all_of(shapes, same)) {
    throw InvalidArgument("[{}] needs two or more tensors of one shape, got {}",
                          layer, ToString(input_shapes));
  }
  return shapes[0];
}

// Combines tensors of one shape from the first to the last, in the first one's
// type.
Tensor Combined(const std::vector<Tensor>& terms,
                Tensor (*combine)(const Tensor&, const Tensor&)) {
  Tensor result = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    result = combine(result, ops::Cast(terms[i], result.dtype()));
  }
  return result;
}

}  // namespace

AddImpl::AddImpl(const std::string& name)
    : LayerImpl(name.empty() ? UniqueName("add") : name) {}

ShapeStructure AddImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return OneShapeOf("Add", input_shapes);
}

Epilogue AddImpl::AsEpilogue() const { return {.add = IsExactly<AddImpl>()}; }

Structure AddImpl::Call(const Structure& inputs, bool /*training*/) {
  ComputeOutputShape(ShapesOf(inputs));  // throws for wrong arguments
  return Combined(inputs.Flatten(), ops::Add);
}

LayerConfig AddImpl::Config() const { return StartConfig("Add", *this); }

MultiplyImpl::MultiplyImpl(const std::string& name)
    : LayerImpl(name.empty() ? UniqueName("multiply") : name) {}

ShapeStructure MultiplyImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return OneShapeOf("Multiply", input_shapes);
}

Structure MultiplyImpl::Call(const Structure& inputs, bool /*training*/) {
  ComputeOutputShape(ShapesOf(inputs));  // throws for wrong arguments
  return Combined(inputs.Flatten(), ops::Multiply);
}

LayerConfig MultiplyImpl::Config() const {
  return StartConfig("Multiply", *this);
}

ConcatenateImpl::ConcatenateImpl(int axis, const std::string& name)
    : LayerImpl(name.empty() ? UniqueName("concatenate") : name), axis_(axis) {}

ShapeStructure ConcatenateImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  const std::vector<Shape> shapes = input_shapes.Flatten();
  const int rank = shapes.empty() ? 0 : shapes[0].rank();
  const int axis = axis_ < 0 ? axis_ + rank : axis_;
  if (axis < 1 || axis >= rank) {
    throw InvalidArgument("[Concatenate] there is no axis {} to join {} along",
                          axis_, ToString(input_shapes));
  }
  int64_t length = 0;
  for (const Shape& shape : shapes) {
    if (shape.rank() != rank || shape[axis] == kUnknownDim ||
        shape.WithDim(axis, 0) != shapes[0].WithDim(axis, 0)) {
      throw InvalidArgument("[Concatenate] {} do not fit along axis {}",
                            ToString(input_shapes), axis_);
    }
    length += shape[axis];
  }
  return shapes[0].WithDim(axis, length);
}

Structure ConcatenateImpl::Call(const Structure& inputs, bool /*training*/) {
  ComputeOutputShape(ShapesOf(inputs));  // throws for wrong arguments
  std::vector<Tensor> parts = inputs.Flatten();
  const bool floating = std::ranges::any_of(
      parts, [](const Tensor& part) { return IsFloating(part.dtype()); });
  if (floating) {
    for (Tensor& part : parts) part = Floating(part, *this);
  }
  return ops::Concat(parts, axis_);
}

LayerConfig ConcatenateImpl::Config() const {
  LayerConfig config = StartConfig("Concatenate", *this);
  config.config["axis"] = axis_;
  return config;
}

}  // namespace lockstep
