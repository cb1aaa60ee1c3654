#include "reference/preprocessing/random/random_flip.h"

#include <string_view>
#include <vector>

#include "reference/layers/layer_config.h"

namespace lockstep {

using preprocessing_internal::FlipAxis;

RandomFlipImpl::RandomFlipImpl(FlipMode mode, const RandomFlipOptions& options)
    : RandomImageLayerImpl("RandomFlip", "random_flip", options), mode_(mode) {}

Tensor RandomFlipImpl::FlipSome(const Tensor& images, FlipAxis axis) {
  Random random = generator().Split(class_name());
  std::vector<bool> flipped;
  for (int64_t n = 0; n < images.dim(0); ++n) {
    flipped.push_back(NextUniform(random) > 0.5f);
  }
  return preprocessing_internal::FlipImages(images, flipped, axis);
}

Tensor RandomFlipImpl::Transform(const Tensor& images) {
  Tensor result = images;
  if (mode_ != FlipMode::kVertical) {
    result = FlipSome(result, FlipAxis::kColumns);
  }
  if (mode_ != FlipMode::kHorizontal)
    result = FlipSome(result, FlipAxis::kRows);
  return result;
}

namespace {

std::string_view NameOf(FlipMode mode) {
  switch (mode) {
    case FlipMode::kHorizontal:
      return "horizontal";
    case FlipMode::kVertical:
      return "vertical";
    case FlipMode::kHorizontalAndVertical:
      break;
  }
  return "horizontal_and_vertical";
}

}  // namespace

LayerConfig RandomFlipImpl::Config() const {
  LayerConfig config = AddSeed(StartConfig("RandomFlip", *this));
  config.config["mode"] = NameOf(mode_);
  return config;
}

}  // namespace lockstep
