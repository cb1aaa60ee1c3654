// Layers for images [N, H, W, C]: pooling, padding and convolution.
//
//   Conv2D conv(32, 3, {.activation = Activation::kRelu});
//   MaxPooling2D()(conv(images));   // [64, 28, 28, 1] -> [64, 13, 13, 32]
#ifndef LOCKSTEP_REFERENCE_LAYERS_IMAGE_LAYERS_H_
#define LOCKSTEP_REFERENCE_LAYERS_IMAGE_LAYERS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "reference/kernels/movement/movement.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/kernels/windows.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

// Rows and columns, or one number for both: Size2D(3) is 3 x 3.
struct Size2D {
  Size2D(int64_t both) : rows(both), columns(both) {}  // NOLINT: as in Keras
  Size2D(int64_t rows, int64_t columns) : rows(rows), columns(columns) {}

  std::array<int64_t, 2> ToArray() const { return {rows, columns}; }

  int64_t rows;
  int64_t columns;
};

// The base of 2-D pooling layers: windows and shapes.
struct Pooling2DOptions {
  std::optional<Size2D> strides = std::nullopt;  // default: the pool size
  kernels::Padding padding = kernels::Padding::kValid;
  std::string name = "";  // "max_pooling2d", ... by default
};

class Pooling2DImpl : public TensorLayerImpl {
 public:
  const kernels::Pool2DOptions& pool() const { return pool_; }
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  // `keras_name` is the default name. Errors: InvalidArgument, naming
  // `operation`, for sizes or strides below 1.
  Pooling2DImpl(const char* operation, const char* keras_name, Size2D pool_size,
                const Pooling2DOptions& options);
  // Adds the common options, after StartConfig.
  LayerConfig AddPooling(LayerConfig config) const;

 private:
  const char* operation_;
  kernels::Pool2DOptions pool_;
};

// The maximum over windows of images [N, H, W, C].
//
//   MaxPooling2D pool;
//   pool(images);   // [64, 26, 26, 32] -> [64, 13, 13, 32]
using MaxPooling2DOptions = Pooling2DOptions;

class MaxPooling2DImpl : public Pooling2DImpl {
 public:
  MaxPooling2DImpl(Size2D pool_size, const MaxPooling2DOptions& options);

  Epilogue AsEpilogue() const override;
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

class MaxPooling2D : public Layer {
 public:
  // Errors: InvalidArgument for sizes or strides below 1.
  explicit MaxPooling2D(Size2D pool_size = 2,
                        const MaxPooling2DOptions& options = {})
      : Layer(std::make_shared<MaxPooling2DImpl>(pool_size, options)) {}
};

// The mean over windows of images [N, H, W, C]; padding does not count.
//
//   AveragePooling2D pool(2);
//   pool(images);   // [64, 26, 26, 32] -> [64, 13, 13, 32]
using AveragePooling2DOptions = Pooling2DOptions;

class AveragePooling2DImpl : public Pooling2DImpl {
 public:
  AveragePooling2DImpl(Size2D pool_size,
                       const AveragePooling2DOptions& options);
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

class AveragePooling2D : public Layer {
 public:
  // Errors: InvalidArgument for sizes or strides below 1.
  explicit AveragePooling2D(Size2D pool_size,
                            const AveragePooling2DOptions& options = {})
      : Layer(std::make_shared<AveragePooling2DImpl>(pool_size, options)) {}
};

// The mean of each channel of images [N, H, W, C].
//
//   GlobalAveragePooling2D pool;
//   pool(images);   // [64, 7, 7, 2048] -> [64, 2048]
struct GlobalAveragePooling2DOptions {
  bool keepdims = false;  // [64, 1, 1, 2048]
  std::string name = "";  // "global_average_pooling2d", ... by default
};

class GlobalAveragePooling2DImpl : public TensorLayerImpl {
 public:
  explicit GlobalAveragePooling2DImpl(
      const GlobalAveragePooling2DOptions& options);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  bool keepdims_;
};

class GlobalAveragePooling2D : public Layer {
 public:
  explicit GlobalAveragePooling2D(
      const GlobalAveragePooling2DOptions& options = {})
      : Layer(std::make_shared<GlobalAveragePooling2DImpl>(options)) {}
};

// Pads images [N, H, W, C] with zeros.
//
//   ZeroPadding2D pad(3);
//   pad(images);                      // [64, 224, 224, 3] -> [64, 230, 230, 3]
//   ZeroPadding2D(Size2D(1, 2));      // one row, two columns on each side
//   ZeroPadding2D(Pad2DOptions{.bottom = 1});   // individual sides
class ZeroPadding2DImpl : public TensorLayerImpl {
 public:
  ZeroPadding2DImpl(const kernels::Pad2DOptions& padding,
                    const std::string& name);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  kernels::Pad2DOptions padding_;
};

class ZeroPadding2D : public Layer {
 public:
  // The default name is "zero_padding2d", ... Errors: InvalidArgument for
  // negative numbers.
  explicit ZeroPadding2D(Size2D padding = 1, const std::string& name = "")
      : ZeroPadding2D(kernels::Pad2DOptions{.top = padding.rows,
                                            .bottom = padding.rows,
                                            .left = padding.columns,
                                            .right = padding.columns},
                      name) {}
  explicit ZeroPadding2D(const kernels::Pad2DOptions& padding,
                         const std::string& name = "")
      : Layer(std::make_shared<ZeroPadding2DImpl>(padding, name)) {}
};

using kernels::Padding;

// A convolution over images [N, H, W, C].
//
//   Conv2D conv(32, 3, {.activation = Activation::kRelu});
//   conv(images);   // [64, 28, 28, 1] -> [64, 26, 26, 32]
struct Conv2DOptions {
  Size2D strides = 1;
  Padding padding = Padding::kValid;
  Activation activation = Activation::kLinear;
  bool use_bias = true;
  Initializer kernel_initializer = initializers::GlorotUniform();
  Initializer bias_initializer = initializers::Zeros();
  RegularizerPtr kernel_regularizer = nullptr;
  RegularizerPtr bias_regularizer = nullptr;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "conv2d", "conv2d_1", ... by default
};

class Conv2DImpl : public TensorLayerImpl {
 public:
  Conv2DImpl(int64_t filters, Size2D kernel_size, const Conv2DOptions& options);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  // Fuses a MaxPooling2D if the activation is ReLU.
  bool Fuses(const Epilogue& epilogue) const override;
  LayerConfig Config() const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;
  Tensor CallFused(const Tensor& x, bool training, const Epilogue& epilogue,
                   const Tensor& addend) override;

 private:
  int64_t filters_;
  Size2D kernel_size_;
  Conv2DOptions options_;
  VariablePtr kernel_;
  VariablePtr bias_;  // nullptr if there is none
};

class Conv2D : public Layer {
 public:
  // Errors: InvalidArgument for filters, sizes or strides below 1.
  Conv2D(int64_t filters, Size2D kernel_size, const Conv2DOptions& options = {})
      : Layer(std::make_shared<Conv2DImpl>(filters, kernel_size, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_IMAGE_LAYERS_H_
