// Layers for any values: activation functions, Flatten and Dense; Add, Multiply
// and Concatenate, which combine tensors.
//
//   Dense hidden(64, {.activation = Activation::kRelu});
//   hidden(Flatten()(images));   // [64, 5, 5, 64] -> [64, 64]
#ifndef LOCKSTEP_REFERENCE_LAYERS_CORE_LAYERS_H_
#define LOCKSTEP_REFERENCE_LAYERS_CORE_LAYERS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// The activation function of a layer.
//
//   Activate(Activation::kRelu, [-1, 2])   // [0, 2]
//
// Gaussian error linear units are kGelu, by the erf as Keras' "gelu", and
// kGeluTanh, by the tanh as in BERT.
enum class Activation {
  kLinear,
  kGelu,
  kGeluTanh,
  kRelu,
  kSigmoid,
  kSoftmax,
  kTanh
};

// "linear", "gelu", "gelu_tanh", "relu", "sigmoid", "softmax", "tanh". Errors:
// InvalidArgument for other names.
Activation ParseActivation(std::string_view name);
std::string_view ActivationName(Activation activation);

// The name in a layer's config. Errors: Unimplemented for "gelu_tanh", which
// Keras has no name for.
std::string_view ActivationConfig(Activation activation);

// Differentiable; softmax along the last axis.
Tensor Activate(Activation activation, const Tensor& x);

// y = max(0, x) as a layer; NaN stays NaN.
//
//   ReLU()([-1, 2]);   // [0, 2]
//
// In a model, it is fused with a preceding BatchNormalization.
class ReLUImpl : public TensorLayerImpl {
 public:
  explicit ReLUImpl(const std::string& name);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  Epilogue AsEpilogue() const override;
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

class ReLU : public Layer {
 public:
  // The default name is "re_lu", "re_lu_1", ... as in Keras.
  explicit ReLU(const std::string& name = "")
      : Layer(std::make_shared<ReLUImpl>(name)) {}
};

// An activation function as a layer.
//
//   ActivationLayer(Activation::kTanh)(x);
//   ActivationLayer(ParseActivation("softmax"))(x);
class ActivationImpl : public TensorLayerImpl {
 public:
  ActivationImpl(Activation activation, const std::string& name);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  Epilogue AsEpilogue() const override;
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Activation activation_;
};

class ActivationLayer : public Layer {
 public:
  // The default name is "activation", "activation_1", ...
  explicit ActivationLayer(Activation activation, const std::string& name = "")
      : Layer(std::make_shared<ActivationImpl>(activation, name)) {}
};

// Merges all axes except the batch: [64, 5, 5, 64] -> [64, 1600].
class FlattenImpl : public TensorLayerImpl {
 public:
  explicit FlattenImpl(const std::string& name);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

class Flatten : public Layer {
 public:
  // The default name is "flatten", "flatten_1", ...
  explicit Flatten(const std::string& name = "")
      : Layer(std::make_shared<FlattenImpl>(name)) {}
};

// A fully connected layer over the last axis.
//
//   Dense dense(10);
//   dense(x);   // [64, 1600] -> [64, 10]
struct DenseOptions {
  Activation activation = Activation::kLinear;
  bool use_bias = true;
  Initializer kernel_initializer = initializers::GlorotUniform();
  Initializer bias_initializer = initializers::Zeros();
  RegularizerPtr kernel_regularizer = nullptr;
  RegularizerPtr bias_regularizer = nullptr;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "dense", "dense_1", ... by default
};

class DenseImpl : public TensorLayerImpl {
 public:
  DenseImpl(int64_t units, const DenseOptions& options);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;

 private:
  int64_t units_;
  int64_t width_ = 0;  // of the inputs' last axis, once there are weights
  DenseOptions options_;
  VariablePtr kernel_;
  VariablePtr bias_;  // nullptr if there is none
};

class Dense : public Layer {
 public:
  // Errors: InvalidArgument for units < 1.
  explicit Dense(int64_t units, const DenseOptions& options = {})
      : Layer(std::make_shared<DenseImpl>(units, options)) {}
};

// The sum of two or more tensors of one shape.
//
//   SymbolicTensor y = Add()({Dense(4)(x), x});   // a skip connection
//
// In a model, it is fused with a preceding BatchNormalization.
class AddImpl : public LayerImpl {
 public:
  explicit AddImpl(const std::string& name);

  // Errors: InvalidArgument for less than two tensors or different shapes.
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  Epilogue AsEpilogue() const override;
  LayerConfig Config() const override;

 protected:
  Structure Call(const Structure& inputs, bool training) override;
};

class Add : public Layer {
 public:
  // The default name is "add", "add_1", ...
  explicit Add(const std::string& name = "")
      : Layer(std::make_shared<AddImpl>(name)) {}
};

// The product of two or more tensors of one shape, element by element.
//
//   Multiply()({x, y});   // [n, 2], [n, 2] -> [n, 2]
class MultiplyImpl : public LayerImpl {
 public:
  explicit MultiplyImpl(const std::string& name);

  // Errors: InvalidArgument for less than two tensors or different shapes.
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  LayerConfig Config() const override;

 protected:
  Structure Call(const Structure& inputs, bool training) override;
};

class Multiply : public Layer {
 public:
  // The default name is "multiply", "multiply_1", ... as in Keras.
  explicit Multiply(const std::string& name = "")
      : Layer(std::make_shared<MultiplyImpl>(name)) {}
};

// Concatenates tensors along an axis, by default the last.
//
//   Concatenate()({x, y});   // [n, 2], [n, 3] -> [n, 5]
class ConcatenateImpl : public LayerImpl {
 public:
  ConcatenateImpl(int axis, const std::string& name);

  // Errors: InvalidArgument for no tensors, different sizes in other axes, and
  // an axis that does not exist or is the batch.
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  LayerConfig Config() const override;

 protected:
  Structure Call(const Structure& inputs, bool training) override;

 private:
  int axis_;
};

class Concatenate : public Layer {
 public:
  // A negative axis counts from the end. The default name is "concatenate", ...
  explicit Concatenate(int axis = -1, const std::string& name = "")
      : Layer(std::make_shared<ConcatenateImpl>(axis, name)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_CORE_LAYERS_H_
