#include "reference/preprocessing/random/seed_generator.h"

#include <array>
#include <span>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/layers/initializers.h"
#include "reference/tensor/tensor.h"

namespace lockstep {
namespace {

// A draw may use so many blocks of the generator.
constexpr uint64_t kBlocksPerDraw = 256;
// The key with which TensorFlow makes keys of stateless seeds.
constexpr uint64_t kScrambleKey = 0x02461e293ec8f720;

// The stream of a key from a block of four numbers on.
Random AtBlock(uint64_t key, uint64_t block) {
  Random random(key);
  // In four skips, because 4 * block may overflow.
  for (int i = 0; i < 4; ++i) random.Skip(block);
  return random;
}

bool IsInReplica(const DistributionContext& context) {
  return context.has_strategy() && !context.in_cross_replica_context();
}

uint64_t KeyOfCaller() {
  const DistributionContext& context = DistributionContext::Current();
  if (!IsInReplica(context)) return 0;
  const auto replica =
      static_cast<uint64_t>(context.replica_id_in_sync_group().value());
  return AtBlock(/*key=*/0, replica).Next64();
}

}  // namespace

void SeedGenerator::Build(const std::string& layer) {
  const int64_t seed = seed_ ? *seed_ : NextRandomStream().Next32();
  state_ =
      MakeVariable({.initial_value =
                        [seed] {
                          return Tensor::FromVector<int64_t>(
                              {seed, 0}, Shape{2}, Device::Current());
                        },
                    .name = layer + "/seed_generator/seed_generator_state",
                    .trainable = false,
                    .aggregation = VariableAggregation::kOnlyFirstReplica});
  TrackChild("seed_generator_state", *state_);
}

uint64_t SeedGenerator::Count(std::string_view operation, int64_t draws) {
  const DistributionContext& context = DistributionContext::Current();
  if (!IsInReplica(context)) {
    const std::lock_guard lock(mutex_);
    const Tensor state = state_->Read();
    const int64_t before = state.at<int64_t>(1);
    state_->Assign(Tensor::FromVector<int64_t>(
        {state.at<int64_t>(0), before + draws}, Shape{2}));
    return static_cast<uint64_t>(before);
  }
  const bool is_shared =
      dynamic_cast<const LocalVariable*>(state_.get()) != nullptr;
  if (is_shared && context.num_replicas_in_sync() > 1) {
    throw FailedPrecondition(
        "[{}] '{}' was made outside the scope of the strategy, and its {} "
        "replicas would share one stream in no fixed order; build the layer in "
        "the scope",
        operation, state_->name(), context.num_replicas_in_sync());
  }
  const auto before = static_cast<uint64_t>(state_->Read().at<int64_t>(1));
  const auto more = Tensor::FromVector<int64_t>({0, draws});
  state_->Update(operation, std::array{more},
                 [](Tensor& value, std::span<const Tensor> inputs) {
                   kernels::AddInPlace(value, inputs[0]);
                 });
  return before;
}

Random SeedGenerator::Draw(std::string_view operation, int64_t count) {
  const uint64_t before = Count(operation, count);
  const auto seed = static_cast<uint64_t>(state_->Read().at<int64_t>(0));
  return AtBlock(KeyOfCaller(), seed + kBlocksPerDraw * before);
}

Random SeedGenerator::Split(std::string_view operation) {
  const uint64_t seed = Draw(operation, 1).Next64();
  Random scrambled = AtBlock(kScrambleKey, seed);
  const uint64_t key = scrambled.Next64();
  return Random(key, /*stream=*/scrambled.Next64());
}

}  // namespace lockstep
