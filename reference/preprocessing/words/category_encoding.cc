#include "reference/preprocessing/words/category_encoding.h"

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

// The numbers, of numbers alone or with weights. Errors: InvalidArgument for
// other structures.
template <typename Leaf>
const Leaf& IdsOf(const std::string& layer, const Nest<Leaf>& inputs) {
  if (inputs.is_leaf()) return inputs.leaf();
  const bool pair = inputs.kind() == NestKind::kTuple && inputs.size() == 2 &&
                    inputs[0].is_leaf() && inputs[1].is_leaf();
  if (pair) return inputs[0].leaf();
  throw InvalidArgument(
      "[{}] needs numbers, or numbers and their weights, got {} inputs", layer,
      inputs.size());
}

}  // namespace

CategoryEncodingImpl::CategoryEncodingImpl(
    int64_t num_tokens, const CategoryEncodingOptions& options)
    : HostLayer("category_encoding", options.name),
      num_tokens_(num_tokens),
      options_(options) {
  if (num_tokens < 1) {
    throw InvalidArgument(
        "[CategoryEncoding] num_tokens must be positive, "
        "got {}",
        num_tokens);
  }
  CheckOutputMode(
      "CategoryEncoding", options_.output_mode,
      {OutputMode::kOneHot, OutputMode::kMultiHot, OutputMode::kCount});
}

ShapeStructure CategoryEncodingImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return EncodedShape(options_.output_mode, IdsOf(name(), input_shapes),
                      num_tokens_);
}

void CategoryEncodingImpl::CheckIds(const Tensor& ids) const {
  for (const int64_t id : ids.span<int64_t>()) {
    if (id >= 0 && id < num_tokens_) continue;
    throw InvalidArgument("[{}] numbers must be in 0..{}, got {}", name(),
                          num_tokens_ - 1, id);
  }
}

Tensor CategoryEncodingImpl::WeightsOf(const Structure& inputs) const {
  const Tensor& ids = inputs[0].leaf();
  const Tensor& weights = inputs[1].leaf();
  if (options_.output_mode != OutputMode::kCount) {
    throw InvalidArgument("[{}] only output mode count has weights, got {}",
                          name(), OutputModeName(options_.output_mode));
  }
  if (weights.shape() != ids.shape()) {
    throw InvalidArgument("[{}] needs a weight for each of {}, got {}", name(),
                          Describe(ids), Describe(weights));
  }
  return weights.ToHost().Cast(DType::kFloat32);
}

Structure CategoryEncodingImpl::Call(const Structure& inputs,
                                     bool /*training*/) {
  const Tensor& x = IdsOf(name(), inputs);
  if (!IsInteger(x.dtype())) {
    throw InvalidArgument("[{}] needs integers, got {}", name(), Describe(x));
  }
  const Tensor ids = x.ToHost().Cast(DType::kInt64);
  CheckIds(ids);
  EncodeOptions options;
  Tensor weights;
  if (!inputs.is_leaf()) {
    weights = WeightsOf(inputs);
    options.count_weights = weights.span<float>();
  }
  return OnCurrentDevice(EncodeIds(options_.output_mode, ids.span<int64_t>(),
                                   x.shape(), num_tokens_, options));
}

LayerConfig CategoryEncodingImpl::Config() const {
  LayerConfig config = StartConfig("CategoryEncoding", *this);
  config.config.update({{"num_tokens", num_tokens_},
                        {"output_mode", OutputModeName(options_.output_mode)}});
  return config;
}

}  // namespace lockstep
