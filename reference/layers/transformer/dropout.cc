#include "reference/layers/transformer/dropout.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/kernels/random/dropout_mask.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer_config.h"

namespace lockstep {

DropoutImpl::DropoutImpl(double rate, const DropoutOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName("dropout") : options.name,
          options.dtype),
      rate_(rate),
      seed_(options.seed) {
  if (!(rate >= 0 && rate <= 1)) {
    throw InvalidArgument("[Dropout] rate must be in [0, 1], got {}", rate);
  }
  TrackChild("seed_generator", seed_generator_);
}

Shape DropoutImpl::ComputeOutputShape(const Shape& input_shape) const {
  return input_shape;
}

void DropoutImpl::MakeWeights(const Shape& /*input_shape*/) {
  const int64_t seed = seed_ ? *seed_ : NextRandomStream().Next32();
  state_ =
      MakeVariable({.initial_value =
                        [seed] {
                          return Tensor::FromVector<int64_t>(
                              {seed, 0}, Shape{2}, Device::Current());
                        },
                    .name = name() + "/seed_generator/seed_generator_state",
                    .trainable = false,
                    .aggregation = VariableAggregation::kOnlyFirstReplica});
  seed_generator_.TrackChild("seed_generator_state", *state_);
}

uint64_t DropoutImpl::NextKey() {
  const Tensor state = state_->Read();
  const auto seed = static_cast<uint64_t>(state.at<int64_t>(0));
  const auto calls = static_cast<uint64_t>(state.at<int64_t>(1));
  const Tensor one_call = Tensor::FromVector<int64_t>({0, 1});
  state_->Update("Dropout", std::array{one_call},
                 [](Tensor& value, std::span<const Tensor> inputs) {
                   kernels::AddInPlace(value, inputs[0]);
                 });
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
  config.config.update({{"rate", rate_},
                        {"seed", seed_ ? Json(*seed_) : Json(nullptr)},
                        {"noise_shape", nullptr}});
  return config;
}

}  // namespace lockstep
