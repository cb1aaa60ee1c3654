// A fully connected layer over the last axis.
//
//   Dense dense(10);
//   dense(x);   // [64, 1600] -> [64, 10]
#ifndef LOCKSTEP_REFERENCE_LAYERS_DENSE_H_
#define LOCKSTEP_REFERENCE_LAYERS_DENSE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/layers/activation.h"
#include "reference/layers/initializers/constant.h"
#include "reference/layers/initializers/glorot_uniform.h"
#include "reference/layers/layer.h"

namespace lockstep {

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

#endif  // LOCKSTEP_REFERENCE_LAYERS_DENSE_H_
