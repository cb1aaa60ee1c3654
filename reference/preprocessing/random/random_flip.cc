#include "reference/preprocessing/random/random_flip.h"

#include <algorithm>
#include <array>
#include <utility>
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

using NamedMode = std::pair<FlipMode, std::string_view>;

constexpr std::array<NamedMode, 3> kModes = {
    {{FlipMode::kHorizontal, "horizontal"},
     {FlipMode::kVertical, "vertical"},
     {FlipMode::kHorizontalAndVertical, "horizontal_and_vertical"}}};

}  // namespace

std::optional<FlipMode> FindFlipMode(std::string_view name) {
  const auto* found = std::ranges::find(kModes, name, &NamedMode::second);
  if (found == kModes.end()) return std::nullopt;
  return found->first;
}

LayerConfig RandomFlipImpl::Config() const {
  LayerConfig config = AddSeed(StartConfig("RandomFlip", *this));
  config.config["mode"] =
      std::ranges::find(kModes, mode_, &NamedMode::first)->second;
  return config;
}

}  // namespace lockstep
