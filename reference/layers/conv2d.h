// A convolution over images [N, H, W, C].
//
//   Conv2D conv(32, 3, {.activation = Activation::kRelu});
//   conv(images);   // [64, 28, 28, 1] -> [64, 26, 26, 32]
#ifndef LOCKSTEP_REFERENCE_LAYERS_CONV2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_CONV2D_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/kernels/max_pool2d.h"
#include "reference/kernels/padding.h"
#include "reference/layers/activation.h"
#include "reference/layers/initializers/constant.h"
#include "reference/layers/initializers/glorot_uniform.h"
#include "reference/layers/layer.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/size2d.h"

namespace lockstep {

using kernels::Padding;

struct Conv2DOptions {
  Size2D strides = 1;
  Padding padding = Padding::kValid;
  Activation activation = Activation::kLinear;
  bool use_bias = true;
  Initializer kernel_initializer = initializers::GlorotUniform();
  Initializer bias_initializer = initializers::Zeros();
  RegularizerPtr kernel_regularizer = nullptr;
  RegularizerPtr bias_regularizer = nullptr;
  std::optional<DTypePolicy> dtype = std::nullopt;  // the global policy
  std::string name = "";  // "conv2d", "conv2d_1", ... by itself
};

class Conv2D : public Layer {
 public:
  // Errors: InvalidArgument for filters, sizes or strides below 1.
  Conv2D(int64_t filters, Size2D kernel_size,
         const Conv2DOptions& options = {});

  Shape ComputeOutputShape(const Shape& input_shape) const override;

  // `next`, a MaxPooling2D, can be computed with this layer in one kernel.
  bool CanFuse(const Layer& next) const;
  // Pool(this(x)). REQUIRES: CanFuse(layer of this pool) and built().
  Tensor CallWithMaxPool(const Tensor& x,
                         const kernels::MaxPool2DOptions& pool);

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;

 private:
  int64_t filters_;
  Size2D kernel_size_;
  Conv2DOptions options_;
  VariablePtr kernel_;
  VariablePtr bias_;  // nullptr without one
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_CONV2D_H_
