#include "reference/export/keras/preprocessing_layers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/export/keras/config_reader.h"
#include "reference/preprocessing/numeric/discretization.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/numeric/rescaling.h"
#include "reference/preprocessing/output_mode.h"
#include "reference/preprocessing/random/random_crop.h"
#include "reference/preprocessing/random/random_flip.h"
#include "reference/preprocessing/random/random_rotation.h"

namespace lockstep::export_internal {
namespace {

// A number, or a list of them; nullopt if it is missing or null.
template <typename Number = float>
std::optional<std::vector<Number>> NumbersAt(ConfigReader& config,
                                             const std::string& key) {
  const Json* value = config.Find(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  const Json list = value->is_array() ? *value : Json::array({*value});
  if (!std::ranges::all_of(list, [](const Json& x) { return x.is_number(); })) {
    throw InvalidArgument("[LoadModel] '{}': {} must be a list of numbers",
                          config.name(), key);
  }
  return list.get<std::vector<Number>>();
}

std::vector<int> AxesAt(ConfigReader& config) {
  const auto numbers = NumbersAt(config, "axis");
  if (!numbers) return {};
  return {numbers->begin(), numbers->end()};
}

// Of a layer with one mean for all numbers it is a number, else a list.
Tensor MomentAt(ConfigReader& config, const std::string& key) {
  const auto numbers = NumbersAt(config, key);
  if (!numbers) return Tensor();
  const Tensor list = Tensor::FromVector<float>(*numbers);
  return config.Find(key)->is_array() ? list : list.Reshape(Shape{});
}

Layer MakeNormalization(ConfigReader& config) {
  return Normalization({.axis = AxesAt(config),
                        .mean = MomentAt(config, "mean"),
                        .variance = MomentAt(config, "variance"),
                        .invert = config.Flag("invert", false),
                        .name = config.name()});
}

Layer MakeRescaling(ConfigReader& config) {
  return Rescaling(config.Number("scale", 1), config.Number("offset", 0),
                   {.name = config.name()});
}

Layer MakeDiscretization(ConfigReader& config) {
  DiscretizationOptions options = {
      .bin_boundaries = NumbersAt(config, "bin_boundaries"),
      .epsilon = config.Number("epsilon", 0.01),
      .output_mode = ParseOutputMode(config.Text("output_mode", "int")),
      .name = config.name()};
  const std::optional<int64_t> num_bins = config.FindInteger("num_bins");
  // Keras writes both for a layer that has adapted.
  if (!options.bin_boundaries) options.num_bins = num_bins;
  return Discretization(options);
}

Layer MakeRandomFlip(ConfigReader& config) {
  const std::string name = config.Text("mode", "horizontal_and_vertical");
  const std::optional<FlipMode> mode = FindFlipMode(name);
  if (!mode) {
    throw InvalidArgument("[LoadModel] '{}': there is no flip '{}'",
                          config.name(), name);
  }
  return RandomFlip(
      *mode, {.seed = config.FindInteger("seed"), .name = config.name()});
}

Layer MakeRandomCrop(ConfigReader& config) {
  return RandomCrop(
      config.Integer("height"), config.Integer("width"),
      {.seed = config.FindInteger("seed"), .name = config.name()});
}

Layer MakeRandomRotation(ConfigReader& config) {
  const auto factor = NumbersAt<double>(config, "factor");
  if (!factor || factor->empty() || factor->size() > 2) {
    throw InvalidArgument("[LoadModel] '{}': factor must be one or two numbers",
                          config.name());
  }
  const std::string fill_name = config.Text("fill_mode", "reflect");
  const std::optional<FillMode> fill_mode = FindFillMode(fill_name);
  const std::string interpolation = config.Text("interpolation", "bilinear");
  const bool bilinear = interpolation == "bilinear";
  if (!fill_mode || !(bilinear || interpolation == "nearest")) {
    throw InvalidArgument(
        "[LoadModel] '{}': there is no fill mode '{}' or interpolation '{}'",
        config.name(), fill_name, interpolation);
  }
  const RandomRotationOptions options = {
      .fill_mode = *fill_mode,
      .interpolation =
          bilinear ? Interpolation::kBilinear : Interpolation::kNearest,
      .fill_value = config.Number("fill_value", 0),
      .seed = config.FindInteger("seed"),
      .name = config.name()};
  const RotationRange range = factor->size() == 1
                                  ? RotationRange((*factor)[0])
                                  : RotationRange((*factor)[0], (*factor)[1]);
  return RandomRotation(range, options);
}

}  // namespace

void AddPreprocessingLayers(LayerRegistry& registry) {
  registry.Add("Discretization", MakeDiscretization);
  registry.Add("Normalization", MakeNormalization);
  registry.Add("RandomCrop", MakeRandomCrop);
  registry.Add("RandomFlip", MakeRandomFlip);
  registry.Add("RandomRotation", MakeRandomRotation);
  registry.Add("Rescaling", MakeRescaling);
}

}  // namespace lockstep::export_internal
