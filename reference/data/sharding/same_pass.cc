#include "reference/data/sharding/same_pass.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "reference/base/error.h"
#include "reference/data/pass.h"
#include "reference/device/device.h"
#include "reference/tensor/text_bytes.h"

namespace lockstep::data_internal {
namespace {

void CheckSameData(std::string_view operation,
                   const std::vector<std::vector<Tensor>>& announced) {
  const std::string first = TextOf(announced[0][0]);
  for (size_t worker = 1; worker < announced.size(); ++worker) {
    const std::string other = TextOf(announced[worker][0]);
    if (other == first) continue;
    throw FailedPrecondition(
        "[{}] workers must shard the same data in the same way: worker 0 "
        "has {}, worker {} has {}; give all workers the same data, or shard it "
        "yourself under "
        "AutoShardPolicy::kOff",
        operation, first, worker, other);
  }
}

}  // namespace

std::vector<Tensor> AnnouncePass(const Sharding& sharding,
                                 std::span<const NodePtr> pipelines) {
  const PassState passes = SavePasses(pipelines);
  return {BytesOf(sharding.description),
          Tensor::FromVector(std::vector<int64_t>(passes.begin(), passes.end()),
                             Shape{std::ssize(passes)}, Device::Host())};
}

void TakeSamePass(std::string_view operation,
                  const std::vector<std::vector<Tensor>>& announced,
                  const Sharding& sharding,
                  std::span<const NodePtr> pipelines) {
  CheckSameData(operation, announced);
  const auto same_form = [&](const std::vector<Tensor>& list) {
    return list[1].shape() == announced[0][1].shape();
  };
  if (!std::ranges::all_of(announced, same_form)) return;
  const bool one_pass = sharding.policy == AutoShardPolicy::kData ||
                        sharding.policy == AutoShardPolicy::kHint;
  const std::vector<int64_t> passes = announced[0][1].ToVector<int64_t>();
  RestorePasses(pipelines, PassState(passes.begin(), passes.end()),
                one_pass ? PassScope::kAll : PassScope::kCounts);
}

}  // namespace lockstep::data_internal
