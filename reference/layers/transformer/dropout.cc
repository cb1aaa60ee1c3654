#include "reference/layers/transformer/dropout.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/kernels/random/dropout_mask.h"
#include "reference/layers/layer_config.h"

namespace lockstep {

DropoutImpl::DropoutImpl(double rate, const DropoutOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName("dropout") : options.name,
          options.dtype),
      rate_(rate),
      seed_state_(options.seed) {
  if (!(rate >= 0 && rate <= 1)) {
    throw InvalidArgument("[Dropout] rate must be in [0, 1], got {}", rate);
  }
  TrackChild("seed_generator", seed_state_);
}

Shape DropoutImpl::ComputeOutputShape(const Shape& input_shape) const {
  return input_shape;
}

void DropoutImpl::MakeWeights(const Shape& /*input_shape*/) {
  seed_state_.Build(name());
}

uint64_t DropoutImpl::NextKey() {
  const auto [seed, calls] = seed_state_.Advance("Dropout", 1);
  const auto replica = static_cast<uint64_t>(
      DistributionContext::Current().replica_id_in_sync_group().value());
  return Random(seed, calls << 16 | replica).Next64();
}

Tensor DropoutImpl::Call(const Tensor& x, bool training) {
  if (!training || rate_ == 0) return x;
  if (!x.on_host()) {
    throw Unimplemented("[Dropout] has no kernel to train on {}",
                        x.device().name());
  }
  const Tensor mask = kernels::DropoutMask(x.shape(), rate_, NextKey());
  return ops::Multiply(x, mask.Cast(x.dtype()));
}

LayerConfig DropoutImpl::Config() const {
  LayerConfig config = StartConfig("Dropout", *this);
  const std::optional<int64_t> seed = seed_state_.seed();
  config.config.update({{"rate", rate_},
                        {"seed", seed ? Json(*seed) : Json(nullptr)},
                        {"noise_shape", nullptr}});
  return config;
}

}  // namespace lockstep
