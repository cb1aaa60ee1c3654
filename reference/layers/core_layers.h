// Layers for values of any kind: activation functions, Flatten and Dense.
//
//   Dense hidden(64, {.activation = Activation::kRelu});
//   hidden(Flatten()(images));   // [64, 5, 5, 64] -> [64, 64]
#ifndef LOCKSTEP_REFERENCE_LAYERS_CORE_LAYERS_H_
#define LOCKSTEP_REFERENCE_LAYERS_CORE_LAYERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// What follows a layer's linear part.
//
//   Activate(Activation::kRelu, [-1, 2])   // [0, 2]
enum class Activation { kLinear, kRelu, kSigmoid, kSoftmax, kTanh };

// "linear", "relu", "sigmoid", "softmax", "tanh".
std::string_view ActivationName(Activation activation);
// Errors: InvalidArgument for a name that is none of them.
Activation ParseActivation(std::string_view name);

// Differentiable; softmax along the last axis.
Tensor Activate(Activation activation, const Tensor& x);

// y = max(0, x) as a layer; NaN stays NaN.
//
//   ReLU()([-1, 2]);   // [0, 2]
//
// Behind a BatchNormalization in a Sequential both run as one kernel.
class ReLU : public Layer {
 public:
  // Without a name: "re_lu", "re_lu_1", ... as Keras has it.
  explicit ReLU(const std::string& name = "");

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

// All axes but the batch become one: [64, 5, 5, 64] -> [64, 1600].
class Flatten : public Layer {
 public:
  // Without a name: "flatten", "flatten_1", ...
  explicit Flatten(const std::string& name = "");

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
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
  std::optional<DTypePolicy> dtype = std::nullopt;  // the global policy
  std::string name = "";  // "dense", "dense_1", ... by itself
};

class Dense : public Layer {
 public:
  // Errors: InvalidArgument for units < 1.
  explicit Dense(int64_t units, const DenseOptions& options = {});

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;

 private:
  int64_t units_;
  DenseOptions options_;
  VariablePtr kernel_;
  VariablePtr bias_;  // nullptr without one
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_CORE_LAYERS_H_
