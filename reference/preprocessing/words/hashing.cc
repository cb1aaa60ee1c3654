#include "reference/preprocessing/words/hashing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using words_internal::CrossHash;
using words_internal::DecimalText;
using words_internal::Fingerprint;

void CheckBins(const char* operation, int64_t num_bins) {
  if (num_bins < 1) {
    throw InvalidArgument("[{}] num_bins must be positive, got {}", operation,
                          num_bins);
  }
}

// "int64" for numbers of bins, "float32" for vectors.
const char* TypeName(OutputMode mode) {
  return mode == OutputMode::kInt ? "int64" : "float32";
}

}  // namespace

HashingImpl::HashingImpl(int64_t num_bins, HashingOptions options)
    : HostLayer("hashing", options.name),
      num_bins_(num_bins),
      options_(std::move(options)),
      hash_(options_.salt) {
  CheckBins("Hashing", num_bins);
  CheckOutputMode("Hashing", options_.output_mode,
                  {OutputMode::kInt, OutputMode::kOneHot, OutputMode::kMultiHot,
                   OutputMode::kCount});
}

Shape HashingImpl::ComputeOutputShape(const Shape& input_shape) const {
  return EncodedShape(options_.output_mode, input_shape, num_bins_);
}

int64_t HashingImpl::HashedBins() const {
  return options_.mask_value && num_bins_ > 1 ? num_bins_ - 1 : num_bins_;
}

void HashingImpl::CheckInput(const Tensor& x) const {
  const bool words = x.dtype() == DType::kString;
  if (x.dtype() == DType::kBool) {
    throw InvalidArgument("[{}] needs words or numbers, got {}", name(),
                          Describe(x));
  }
  if (!options_.mask_value) return;
  if (std::holds_alternative<std::string>(*options_.mask_value) != words) {
    throw InvalidArgument(
        "[{}] mask_value is {}, which no element of {} can be", name(),
        words ? "an integer" : "a word", Describe(x));
  }
}

void HashingImpl::HashWords(std::span<const std::string> words,
                            std::span<int64_t> ids) const {
  const int64_t bins = HashedBins();
  const int64_t first = num_bins_ - bins;
  const auto* mask =
      first == 0 ? nullptr : std::get_if<std::string>(&*options_.mask_value);
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool masked = mask != nullptr && words[i] == *mask;
    ids[i] = masked ? 0 : first + hash_.Bin(words[i], bins);
  }
}

void HashingImpl::HashNumbers(const Tensor& x, std::span<int64_t> ids) const {
  const int64_t bins = HashedBins();
  const int64_t first = num_bins_ - bins;
  const Tensor rounded = x.Cast(DType::kInt64);
  const Tensor exact = x.Cast(DType::kFloat64);
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t number = rounded.span<int64_t>()[i];
    // 1.5 is rounded to 1, and is not the mask value 1.
    const bool masked = first != 0 &&
                        number == std::get<int64_t>(*options_.mask_value) &&
                        exact.span<double>()[i] == static_cast<double>(number);
    ids[i] = masked ? 0 : first + hash_.Bin(DecimalText(number).view(), bins);
  }
}

Tensor HashingImpl::Call(const Tensor& input, bool /*training*/) {
  CheckInput(input);
  const Tensor x = input.ToHost();
  std::vector<int64_t> ids(static_cast<size_t>(x.num_elements()));
  if (x.dtype() == DType::kString) {
    HashWords(x.span<std::string>(), ids);
  } else {
    HashNumbers(x, ids);
  }
  return OnCurrentDevice(
      EncodeIds(options_.output_mode, ids, x.shape(), num_bins_));
}

LayerConfig HashingImpl::Config() const {
  LayerConfig config = StartConfig("Hashing", *this);
  config.config["dtype"] = KerasObject(
      "keras", "DTypePolicy", {{"name", TypeName(options_.output_mode)}});
  Json salt = nullptr;
  if (options_.salt) salt = options_.salt->ToArray();
  Json mask = nullptr;
  if (options_.mask_value) {
    std::visit([&](const auto& value) { mask = value; }, *options_.mask_value);
  }
  config.config.update({{"num_bins", num_bins_},
                        {"salt", salt},
                        {"mask_value", mask},
                        {"output_mode", OutputModeName(options_.output_mode)},
                        {"sparse", false}});
  return config;
}

HashedCrossingImpl::HashedCrossingImpl(int64_t num_bins,
                                       const HashedCrossingOptions& options)
    : HostLayer("hashed_crossing", options.name),
      num_bins_(num_bins),
      options_(options) {
  CheckBins("HashedCrossing", num_bins);
  CheckOutputMode("HashedCrossing", options_.output_mode,
                  {OutputMode::kInt, OutputMode::kOneHot});
}

ShapeStructure HashedCrossingImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  std::vector<Shape> shapes;
  input_shapes.ForEach([&](const Shape& shape) { shapes.push_back(shape); });
  if (shapes.size() < 2) {
    throw InvalidArgument("[{}] needs at least two features, got {}", name(),
                          shapes.size());
  }
  for (const Shape& shape : shapes) {
    if (shape.rank() > 2 || (shape.rank() == 2 && shape[1] != 1)) {
      throw InvalidArgument(
          "[{}] features must have the shape (), (n) or (n, 1), got {}", name(),
          ToString(shape));
    }
    if (shape != shapes.front()) {
      throw InvalidArgument(
          "[{}] features must have equal shapes, got {} "
          "and {}",
          name(), ToString(shapes.front()), ToString(shape));
    }
  }
  return EncodedShape(options_.output_mode, shapes.front(), num_bins_);
}

namespace {

// Replaces the hash of each example by that with one more feature.
void Cross(const std::string& layer, const Tensor& feature,
           std::vector<uint64_t>& hashes) {
  if (feature.dtype() == DType::kString) {
    const auto words = feature.span<std::string>();
    for (size_t i = 0; i < hashes.size(); ++i) {
      hashes[i] = CrossHash(hashes[i], Fingerprint(words[i]));
    }
    return;
  }
  if (!IsInteger(feature.dtype())) {
    throw InvalidArgument("[{}] features must be words or integers, got {}",
                          layer, Describe(feature));
  }
  const Tensor host = feature.ToHost().Cast(DType::kInt64);
  const auto numbers = host.span<int64_t>();
  for (size_t i = 0; i < hashes.size(); ++i) {
    hashes[i] = CrossHash(hashes[i], static_cast<uint64_t>(numbers[i]));
  }
}

}  // namespace

Structure HashedCrossingImpl::Call(const Structure& inputs, bool /*training*/) {
  ComputeOutputShape(ShapesOf(inputs));  // throws for wrong arguments
  std::vector<Tensor> features;
  inputs.ForEach([&](const Tensor& x) { features.push_back(x); });
  std::vector<uint64_t> hashes(
      static_cast<size_t>(features.front().num_elements()),
      words_internal::kCrossSeed);
  for (const Tensor& feature : features) Cross(name(), feature, hashes);
  std::vector<int64_t> ids(hashes.size());
  std::ranges::transform(hashes, ids.begin(), [this](uint64_t hash) {
    return static_cast<int64_t>(hash % static_cast<uint64_t>(num_bins_));
  });
  return OnCurrentDevice(EncodeIds(options_.output_mode, ids,
                                   features.front().shape(), num_bins_));
}

LayerConfig HashedCrossingImpl::Config() const {
  const LayerConfig started = StartConfig("HashedCrossing", *this);
  return {started.class_name,
          {{"num_bins", num_bins_},
           {"output_mode", OutputModeName(options_.output_mode)},
           {"sparse", false},
           {"name", name()},
           {"dtype", TypeName(options_.output_mode)}}};
}

}  // namespace lockstep
