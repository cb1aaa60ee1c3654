#include "reference/preprocessing/random/seed_generator.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/base/random/stateless_random.h"
#include "reference/tensor/tensor.h"

namespace lockstep {
namespace {

// A draw may use so many blocks of the generator.
constexpr uint64_t kBlocksPerDraw = 256;

uint64_t KeyOfCaller() {
  const DistributionContext& context = DistributionContext::Current();
  if (!context.in_run()) return 0;
  const auto replica =
      static_cast<uint64_t>(context.replica_id_in_sync_group().value());
  return RandomAtBlock(/*key=*/0, /*stream=*/0, replica).Next64();
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
  return RandomAtBlock(KeyOfCaller(), /*stream=*/0,
                       before.seed + kBlocksPerDraw * before.count);
}

Random SeedGenerator::Split(std::string_view operation) {
  return StatelessRandom(Draw(operation, 1).Next64(), 0);
}

}  // namespace lockstep
