#include "reference/preprocessing/random/random_rotation.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using NamedMode = std::pair<FillMode, std::string_view>;

constexpr std::array<NamedMode, 4> kModes = {{{FillMode::kConstant, "constant"},
                                              {FillMode::kReflect, "reflect"},
                                              {FillMode::kWrap, "wrap"},
                                              {FillMode::kNearest, "nearest"}}};

}  // namespace

std::optional<FillMode> FindFillMode(std::string_view name) {
  const auto* found = std::ranges::find(kModes, name, &NamedMode::second);
  if (found == kModes.end()) return std::nullopt;
  return found->first;
}

RandomRotationImpl::RandomRotationImpl(RotationRange factor,
                                       const RandomRotationOptions& options)
    : RandomImageLayerImpl(
          "RandomRotation", "random_rotation",
          {.seed = options.seed, .dtype = options.dtype, .name = options.name}),
      factor_(factor),
      options_(options) {
  // NaN must fail too.
  if (!(factor.lower >= -1 && factor.lower <= factor.upper &&
        factor.upper <= 1)) {
    throw InvalidArgument(
        "[RandomRotation] factor must be a range in [-1, 1], got {} to {}",
        factor.lower, factor.upper);
  }
}

Tensor RandomRotationImpl::Transform(const Tensor& images) {
  Random random = generator().Split(class_name());
  std::vector<double> angles(static_cast<size_t>(images.dim(0)));
  for (double& angle : angles) {
    const double turns =
        factor_.lower + NextUniform(random) * (factor_.upper - factor_.lower);
    angle = turns * 2 * std::numbers::pi;
  }
  if (angles.empty()) return images;
  const preprocessing_internal::ImageSize size{images.dim(1), images.dim(2)};
  return preprocessing_internal::Resample(
      images,
      [size, angles, interpolation = options_.interpolation,
       fill_mode = options_.fill_mode](int64_t n) {
        return preprocessing_internal::Rotate(
            size, angles[static_cast<size_t>(n)], interpolation, fill_mode);
      },
      options_.fill_value);
}

LayerConfig RandomRotationImpl::Config() const {
  LayerConfig config = AddSeed(StartConfig("RandomRotation", *this));
  const bool bilinear = options_.interpolation == Interpolation::kBilinear;
  config.config.update(
      {{"factor", {factor_.lower, factor_.upper}},
       {"fill_mode",
        std::ranges::find(kModes, options_.fill_mode, &NamedMode::first)
            ->second},
       {"fill_value", options_.fill_value},
       {"interpolation", bilinear ? "bilinear" : "nearest"}});
  return config;
}

}  // namespace lockstep
