#include "reference/layers/transformer/seed_state.h"

#include <array>
#include <span>

#include "reference/kernels/elementwise/in_place.h"
#include "reference/layers/initializers.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

void SeedState::Build(const std::string& layer) {
  const int64_t seed = seed_ ? *seed_ : NextRandomStream().Next32();
  variable_ =
      MakeVariable({.initial_value =
                        [seed] {
                          return Tensor::FromVector<int64_t>(
                              {seed, 0}, Shape{2}, Device::Current());
                        },
                    .name = layer + "/seed_generator/seed_generator_state",
                    .trainable = false,
                    .aggregation = VariableAggregation::kOnlyFirstReplica});
  TrackChild("seed_generator_state", *variable_);
}

SeedState::Draws SeedState::Read() const {
  const Tensor state = variable_->Read();
  return {.seed = static_cast<uint64_t>(state.at<int64_t>(0)),
          .count = static_cast<uint64_t>(state.at<int64_t>(1))};
}

SeedState::Draws SeedState::Advance(std::string_view operation, int64_t draws) {
  const Draws before = Read();
  const auto more = Tensor::FromVector<int64_t>({0, draws});
  variable_->Update(operation, std::array{more},
                    [](Tensor& value, std::span<const Tensor> inputs) {
                      kernels::AddInPlace(value, inputs[0]);
                    });
  return before;
}

}  // namespace lockstep
