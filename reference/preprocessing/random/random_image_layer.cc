#include "reference/preprocessing/random/random_image_layer.h"

#include "reference/autodiff/ops/array_ops.h"
#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep {

RandomImageLayerImpl::RandomImageLayerImpl(const char* class_name,
                                           const char* keras_name,
                                           const RandomImageOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName(keras_name) : options.name,
          options.dtype),
      class_name_(class_name),
      generator_(options.seed) {
  TrackChild("generator", generator_);
}

Shape RandomImageLayerImpl::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument("[{}] images must be [N, H, W, C], got {}",
                          class_name_, ToString(input_shape));
  }
  return input_shape;
}

void RandomImageLayerImpl::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // throws for wrong arguments
  generator_.Build(name());
}

Tensor RandomImageLayerImpl::Call(const Tensor& x, bool training) {
  ComputeOutputShape(x.shape());  // throws for wrong arguments
  const Tensor images = ops::Cast(x, dtype_policy().compute_dtype());
  if (!training) return Infer(images);
  if (!images.on_host()) {
    throw Unimplemented("[{}] has no kernel to train on {}", class_name_,
                        images.device().name());
  }
  return Transform(images);
}

LayerConfig RandomImageLayerImpl::AddSeed(LayerConfig config) const {
  const std::optional<int64_t> seed = generator_.seed();
  config.config["seed"] = seed ? Json(*seed) : Json(nullptr);
  return config;
}

}  // namespace lockstep
