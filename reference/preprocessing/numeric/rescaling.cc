#include "reference/preprocessing/numeric/rescaling.h"

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/layers/layer_config.h"

namespace lockstep {

RescalingImpl::RescalingImpl(double scale, double offset,
                             const RescalingOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName("rescaling") : options.name,
          options.dtype),
      scale_(scale),
      offset_(offset) {}

Shape RescalingImpl::ComputeOutputShape(const Shape& input_shape) const {
  return input_shape;
}

Tensor RescalingImpl::Call(const Tensor& x, bool /*training*/) {
  const Tensor scaled = ops::Cast(x, dtype_policy().compute_dtype()) * scale_;
  return offset_ == 0 ? scaled : scaled + offset_;
}

LayerConfig RescalingImpl::Config() const {
  LayerConfig config = StartConfig("Rescaling", *this);
  config.config.update({{"scale", scale_}, {"offset", offset_}});
  return config;
}

}  // namespace lockstep
