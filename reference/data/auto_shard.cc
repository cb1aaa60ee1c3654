#include "reference/data/auto_shard.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/dataset_node.h"
#include "reference/data/rebatch.h"
#include "reference/data/sources/sources.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep {
namespace {

using data_internal::DatasetNode;
using data_internal::Division;
using data_internal::MakeRebatch;
using data_internal::NodeKind;
using data_internal::NodePtr;

void Check(const InputShard& shard) {
  if (shard.worker < 0 || shard.worker >= shard.workers) {
    throw InvalidArgument("[AutoShard] worker {} of {} does not exist",
                          shard.worker, shard.workers);
  }
  if (shard.replicas < 1 || shard.replicas % shard.workers != 0) {
    throw InvalidArgument(
        "[AutoShard] every worker needs the same number of replicas, got {} "
        "for {} workers",
        shard.replicas, shard.workers);
  }
}

// A source that reads no files, nullptr where there is none.
const DatasetNode* FindOtherSource(const DatasetNode& node) {
  if (node.inputs().empty()) {
    return node.kind() == NodeKind::kTextLines ? nullptr : &node;
  }
  for (const NodePtr& input : node.inputs()) {
    if (const DatasetNode* found = FindOtherSource(*input)) return found;
  }
  return nullptr;
}

NodePtr ShardFiles(const NodePtr& batches, const InputShard& shard) {
  if (const DatasetNode* source = FindOtherSource(*batches)) {
    throw NotFound(
        "[AutoShard] the policy FILE wants sources that read files, got {}; "
        "take DATA, or OFF and Shard",
        NodeKindName(source->kind()));
  }
  return Rewrite(batches, [&](const NodePtr& node) {
    return node->inputs().empty() ? data_internal::MakeFileShard(
                                        *node, shard.workers, shard.worker)
                                  : node;
  });
}

NodePtr ReplaceHints(const NodePtr& batches, const InputShard& shard) {
  return Rewrite(batches, [&](const NodePtr& node) {
    return node->kind() == NodeKind::kShardHint
               ? data_internal::MakeShard(node->inputs().front(), shard.workers,
                                          shard.worker)
               : node;
  });
}

// Whether dividing each element of the inputs divides each of the node's.
bool HandsElementsOn(NodeKind kind) {
  return kind == NodeKind::kPrefetch || kind == NodeKind::kRepeat ||
         kind == NodeKind::kConcatenate || kind == NodeKind::kCache ||
         kind == NodeKind::kOptions;
}

// The worker's parts of `node`, taken as near to a Batch as they can be, which
// then makes no others (OpenParts).
NodePtr TakeParts(const NodePtr& node, const Division& division) {
  if (!HandsElementsOn(node->kind())) return MakeRebatch(node, division);
  std::vector<NodePtr> inputs;
  for (const NodePtr& input : node->inputs()) {
    inputs.push_back(TakeParts(input, division));
  }
  return node->WithInputs(std::move(inputs));
}

// Those given last; of several inputs the first one's that has any.
const DatasetOptions* FindOptions(const DatasetNode& node) {
  if (node.kind() == NodeKind::kOptions) return &OptionsIn(node);
  for (const NodePtr& input : node.inputs()) {
    if (const DatasetOptions* found = FindOptions(*input)) return found;
  }
  return nullptr;
}

AutoShardPolicy PolicyOf(const DatasetNode& batches, const InputShard& shard) {
  if (shard.workers == 1) return AutoShardPolicy::kOff;
  const DatasetOptions* options = FindOptions(batches);
  const AutoShardPolicy policy =
      options == nullptr ? AutoShardPolicy::kAuto : options->auto_shard_policy;
  if (policy != AutoShardPolicy::kAuto) return policy;
  return FindOtherSource(batches) == nullptr ? AutoShardPolicy::kFile
                                             : AutoShardPolicy::kData;
}

}  // namespace

Dataset AutoShard(const Dataset& batches, const InputShard& shard) {
  Check(shard);
  const Division all{.parts = shard.replicas};
  const NodePtr& node = batches.node();
  switch (PolicyOf(*node, shard)) {
    case AutoShardPolicy::kFile:
      return Dataset(MakeRebatch(ShardFiles(node, shard), all));
    case AutoShardPolicy::kData:
      return Dataset(TakeParts(node, {.parts = shard.replicas,
                                      .first = shard.worker,
                                      .stride = shard.workers}));
    case AutoShardPolicy::kHint:
      return Dataset(MakeRebatch(ReplaceHints(node, shard), all));
    default:
      return Dataset(MakeRebatch(node, all));
  }
}

}  // namespace lockstep
