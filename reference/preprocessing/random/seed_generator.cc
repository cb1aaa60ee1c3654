#include "reference/preprocessing/random/seed_generator.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
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

uint64_t KeyOfCaller() {
  const DistributionContext& context = DistributionContext::Current();
  if (!context.in_run()) return 0;
  const auto replica =
      static_cast<uint64_t>(context.replica_id_in_sync_group().value());
  return AtBlock(/*key=*/0, replica).Next64();
}

}  // namespace

SeedState::Draws SeedGenerator::Count(std::string_view operation,
                                      int64_t draws) {
  const DistributionContext& context = DistributionContext::Current();
  if (!context.in_run()) {
    const std::lock_guard lock(mutex_);
    const Draws before = Read();
    variable()->Assign(Tensor::FromVector<int64_t>(
        {static_cast<int64_t>(before.seed),
         static_cast<int64_t>(before.count) + draws},
        Shape{2}));
    return before;
  }
  const bool is_shared =
      dynamic_cast<const LocalVariable*>(variable().get()) != nullptr;
  if (is_shared && context.num_replicas_in_sync() > 1) {
    throw FailedPrecondition(
        "[{}] '{}' was made outside the scope of the strategy, and its {} "
        "replicas would share one stream in no fixed order; build the layer in "
        "the scope",
        operation, variable()->name(), context.num_replicas_in_sync());
  }
  return Advance(operation, draws);
}

Random SeedGenerator::Draw(std::string_view operation, int64_t count) {
  const Draws before = Count(operation, count);
  return AtBlock(KeyOfCaller(), before.seed + kBlocksPerDraw * before.count);
}

Random SeedGenerator::Split(std::string_view operation) {
  const uint64_t seed = Draw(operation, 1).Next64();
  Random scrambled = AtBlock(kScrambleKey, seed);
  const uint64_t key = scrambled.Next64();
  return Random(key, /*stream=*/scrambled.Next64());
}

}  // namespace lockstep
