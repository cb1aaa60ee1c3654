#include "reference/layers/image_layers.h"

#include <algorithm>
#include <array>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

Pooling2DImpl::Pooling2DImpl(const char* operation, const char* keras_name,
                             Size2D pool_size, const Pooling2DOptions& options)
    : TensorLayerImpl(options.name.empty() ? UniqueName(keras_name)
                                           : options.name),
      operation_(operation),
      pool_{.pool = pool_size.ToArray(),
            .strides = options.strides.value_or(pool_size).ToArray(),
            .padding = options.padding} {
  if (std::ranges::min(pool_.pool) < 1 || std::ranges::min(pool_.strides) < 1) {
    throw InvalidArgument(
        "[{}] pool size and strides must be at least 1, got {} x {} and {} x "
        "{}",
        operation, pool_.pool[0], pool_.pool[1], pool_.strides[0],
        pool_.strides[1]);
  }
}

Shape Pooling2DImpl::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument("[{}] inputs must be images [N, H, W, C], got {}",
                          operation_, ToString(input_shape));
  }
  const auto outputs = [&](int axis) {
    return kernels::PlaceWindows(operation_, input_shape[axis],
                                 pool_.pool[axis - 1], pool_.strides[axis - 1],
                                 pool_.padding)
        .count;
  };
  return {input_shape[0], outputs(1), outputs(2), input_shape[3]};
}

LayerConfig Pooling2DImpl::AddPooling(LayerConfig config) const {
  config.config.update({{"pool_size", pool_.pool},
                        {"padding", PaddingName(pool_.padding)},
                        {"strides", pool_.strides}});
  return config;
}

MaxPooling2DImpl::MaxPooling2DImpl(Size2D pool_size,
                                   const MaxPooling2DOptions& options)
    : Pooling2DImpl("MaxPooling2D", "max_pooling2d", pool_size, options) {}

Epilogue MaxPooling2DImpl::AsEpilogue() const {
  if (!IsExactly<MaxPooling2DImpl>()) return {};
  return {.max_pool = pool()};
}

Tensor MaxPooling2DImpl::Call(const Tensor& x, bool /*training*/) {
  return ops::MaxPool2D(x, pool());
}

LayerConfig MaxPooling2DImpl::Config() const {
  return AddPooling(StartConfig("MaxPooling2D", *this));
}

AveragePooling2DImpl::AveragePooling2DImpl(
    Size2D pool_size, const AveragePooling2DOptions& options)
    : Pooling2DImpl("AveragePooling2D", "average_pooling2d", pool_size,
                    options) {}

Tensor AveragePooling2DImpl::Call(const Tensor& x, bool /*training*/) {
  return ops::AvgPool2D(x, pool());
}

LayerConfig AveragePooling2DImpl::Config() const {
  return AddPooling(StartConfig("AveragePooling2D", *this));
}

GlobalAveragePooling2DImpl::GlobalAveragePooling2DImpl(
    const GlobalAveragePooling2DOptions& options)
    : TensorLayerImpl(options.name.empty()
                          ? UniqueName("global_average_pooling2d")
                          : options.name),
      keepdims_(options.keepdims) {}

Shape GlobalAveragePooling2DImpl::ComputeOutputShape(
    const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument(
        "[GlobalAveragePooling2D] inputs must be images [N, H, W, C], got {}",
        ToString(input_shape));
  }
  if (keepdims_) return {input_shape[0], 1, 1, input_shape[3]};
  return {input_shape[0], input_shape[3]};
}

Tensor GlobalAveragePooling2DImpl::Call(const Tensor& x, bool /*training*/) {
  ComputeOutputShape(x.shape());  // throws for wrong arguments
  return ops::ReduceMean(x, std::array{1, 2}, keepdims_);
}

LayerConfig GlobalAveragePooling2DImpl::Config() const {
  LayerConfig config = StartConfig("GlobalAveragePooling2D", *this);
  config.config["keepdims"] = keepdims_;
  return config;
}

ZeroPadding2DImpl::ZeroPadding2DImpl(const kernels::Pad2DOptions& padding,
                                     const std::string& name)
    : TensorLayerImpl(name.empty() ? UniqueName("zero_padding2d") : name),
      padding_(padding) {
  if (std::min({padding.top, padding.bottom, padding.left, padding.right}) <
      0) {
    throw InvalidArgument(
        "[ZeroPadding2D] padding must not be negative, got {}, {}, {}, {} "
        "(top, bottom, left, right)",
        padding.top, padding.bottom, padding.left, padding.right);
  }
}

Shape ZeroPadding2DImpl::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument(
        "[ZeroPadding2D] inputs must be images [N, H, W, C], got {}",
        ToString(input_shape));
  }
  return {input_shape[0], input_shape[1] + padding_.top + padding_.bottom,
          input_shape[2] + padding_.left + padding_.right, input_shape[3]};
}

Tensor ZeroPadding2DImpl::Call(const Tensor& x, bool /*training*/) {
  return ops::Pad2D(x, padding_);
}

LayerConfig ZeroPadding2DImpl::Config() const {
  LayerConfig config = StartConfig("ZeroPadding2D", *this);
  config.config["padding"] = {{padding_.top, padding_.bottom},
                              {padding_.left, padding_.right}};
  return config;
}

Conv2DImpl::Conv2DImpl(int64_t filters, Size2D kernel_size,
                       const Conv2DOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName("conv2d") : options.name,
          options.dtype),
      filters_(filters),
      kernel_size_(kernel_size),
      options_(options) {
  const int64_t smallest =
      std::min({filters, kernel_size.rows, kernel_size.columns,
                options.strides.rows, options.strides.columns});
  if (smallest < 1) {
    throw InvalidArgument(
        "[Conv2D] filters, kernel size and strides must be at least 1, got "
        "{}, {} x {} and {} x {}",
        filters, kernel_size.rows, kernel_size.columns, options.strides.rows,
        options.strides.columns);
  }
}

Shape Conv2DImpl::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument("[Conv2D] inputs must be images [N, H, W, C], got {}",
                          ToString(input_shape));
  }
  const auto outputs = [&](int axis, int64_t window, int64_t stride) {
    return kernels::PlaceWindows("Conv2D", input_shape[axis], window, stride,
                                 options_.padding)
        .count;
  };
  return {input_shape[0], outputs(1, kernel_size_.rows, options_.strides.rows),
          outputs(2, kernel_size_.columns, options_.strides.columns), filters_};
}

void Conv2DImpl::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // throws for wrong arguments
  kernel_ = AddWeight({.name = "kernel",
                       .checkpoint_name = "_kernel",
                       .shape = {kernel_size_.rows, kernel_size_.columns,
                                 input_shape[3], filters_},
                       .initializer = options_.kernel_initializer,
                       .regularizer = options_.kernel_regularizer});
  if (!options_.use_bias) return;
  bias_ = AddWeight({.name = "bias",
                     .checkpoint_name = "bias",
                     .shape = {filters_},
                     .initializer = options_.bias_initializer,
                     .regularizer = options_.bias_regularizer});
}

Tensor Conv2DImpl::Call(const Tensor& x, bool /*training*/) {
  const bool relu = options_.activation == Activation::kRelu;
  const Tensor y = ops::Conv2D(x, Read(kernel_), Read(bias_),
                               {.strides = options_.strides.ToArray(),
                                .padding = options_.padding,
                                .relu = relu});
  return relu ? y : Activate(options_.activation, y);
}

bool Conv2DImpl::Fuses(const Epilogue& epilogue) const {
  constexpr int64_t kLargestFusedWindow = 255;  // the kernel's limit
  return IsExactly<Conv2DImpl>() && options_.activation == Activation::kRelu &&
         !epilogue.add && !epilogue.relu && epilogue.max_pool &&
         epilogue.max_pool->pool[0] * epilogue.max_pool->pool[1] <=
             kLargestFusedWindow;
}

Tensor Conv2DImpl::CallFused(const Tensor& x, bool training,
                             const Epilogue& epilogue, const Tensor& addend) {
  if (!Fuses(epilogue)) {
    return TensorLayerImpl::CallFused(x, training, epilogue, addend);
  }
  return ops::Conv2DReluMaxPool2D(x, Read(kernel_), Read(bias_),
                                  {.strides = options_.strides.ToArray(),
                                   .padding = options_.padding,
                                   .pool = *epilogue.max_pool});
}

LayerConfig Conv2DImpl::Config() const {
  LayerConfig config = StartConfig("Conv2D", *this);
  config.config.update(
      {{"filters", filters_},
       {"kernel_size", kernel_size_.ToArray()},
       {"strides", options_.strides.ToArray()},
       {"padding", PaddingName(options_.padding)},
       {"activation", ActivationConfig(options_.activation)},
       {"use_bias", options_.use_bias},
       {"kernel_regularizer", RegularizerConfig(options_.kernel_regularizer)},
       {"bias_regularizer", RegularizerConfig(options_.bias_regularizer)}});
  return config;
}

}  // namespace lockstep
