#include "reference/data/sharding/shard_policy.h"

#include <fmt/core.h>

#include "reference/data/rewriting.h"
#include "reference/data/sharding/file_shard.h"

namespace lockstep::data_internal {

DatasetOptions OptionsOf(const DatasetNode& batches) {
  const DatasetNode* given = FindNode(batches, [](const DatasetNode& node) {
    return node.options() != nullptr;
  });
  return given == nullptr ? DatasetOptions{} : *given->options();
}

ShardPolicy ChoosePolicy(const DatasetNode& batches, int64_t workers) {
  using enum AutoShardPolicy;
  if (workers == 1) return {kOff, "one worker reads all data"};
  const AutoShardPolicy policy = OptionsOf(batches).auto_shard_policy;
  if (policy != kAuto) return {policy, "as its options say"};
  if (const DatasetNode* other = FindOtherSource(batches)) {
    return {kData, fmt::format("AUTO, and {} reads no files", other->name())};
  }
  if (const DatasetNode* whole = FindWholeInput(batches)) {
    return {kData, fmt::format("AUTO, and {} needs the elements of all files",
                               whole->name())};
  }
  return {kFile, "AUTO, and all sources read files"};
}

}  // namespace lockstep::data_internal
