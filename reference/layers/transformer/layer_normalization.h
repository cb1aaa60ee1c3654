// Normalizes each row by its own moments.
//
//   y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
//
// with mean and variance over the last axis, and trained gamma and beta per
// element of it. Rows are independent, and training does not matter.
//
//   LayerNormalization()([[1, 3]]);   // [[-1, 1]], except for epsilon
#ifndef LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_LAYER_NORMALIZATION_H_
#define LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_LAYER_NORMALIZATION_H_

#include <memory>
#include <optional>
#include <string>

#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct LayerNormalizationOptions {
  double epsilon = 1e-3;
  bool center = true;  // has a beta
  bool scale = true;   // has a gamma
  Initializer beta_initializer = initializers::Zeros();
  Initializer gamma_initializer = initializers::Ones();
  RegularizerPtr beta_regularizer = nullptr;
  RegularizerPtr gamma_regularizer = nullptr;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "layer_normalization", ... by default
};

class LayerNormalizationImpl : public TensorLayerImpl {
 public:
  explicit LayerNormalizationImpl(const LayerNormalizationOptions& options);

  // Errors: InvalidArgument for less than two axes or an unknown last one.
  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  // Errors: InvalidArgument for another last axis, and numbers that are not
  // floating.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Tensor OfSingleOperations(const Tensor& x, const Tensor& gamma,
                            const Tensor& beta) const;

  LayerNormalizationOptions options_;
  int64_t length_ = 0;  // of the last axis, once built
  VariablePtr gamma_;   // nullptr if there is none
  VariablePtr beta_;    // nullptr if there is none
};

class LayerNormalization : public Layer {
 public:
  // Errors: InvalidArgument for a negative epsilon.
  explicit LayerNormalization(const LayerNormalizationOptions& options = {})
      : Layer(std::make_shared<LayerNormalizationImpl>(options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_LAYER_NORMALIZATION_H_
