#include "reference/data/file_shard.h"

#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/sources/sources.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

// The function of a FlatMap or Interleave reads files, by the names that are
// its input.
bool FunctionReadsFiles(const DatasetNode& node) {
  if (!OpensDatasets(node.kind())) return false;
  const NodePtr dataset = FirstDatasetOf(node);
  return dataset != nullptr && !FindOtherSource(*dataset);
}

// Leaving elements out before it is the same as after it, but for the order.
bool KeepsElementsApart(NodeKind kind) {
  return kind == NodeKind::kShuffle || kind == NodeKind::kMap ||
         kind == NodeKind::kRepeat || kind == NodeKind::kPrefetch ||
         kind == NodeKind::kCache || kind == NodeKind::kOptions;
}

// Elements of `node`, of which no more than `most` are counted.
int64_t CountUpTo(const NodePtr& node, int64_t most) {
  if (const int64_t known = node->cardinality(); known >= 0) return known;
  const ReaderPtr<Structure> reader = CopyOf(node)->OpenElements();
  Structure element;
  int64_t count = 0;
  while (count < most && reader->Next({&element, 1}) == 1) ++count;
  return count;
}

void CheckEnough(int64_t files, int64_t workers) {
  if (files >= workers) return;
  throw InvalidArgument(
      "[AutoShard] the dataset has {} file(s), which is not enough for {} "
      "workers: each needs one under the policy FILE",
      files, workers);
}

NodePtr ShardNames(const NodePtr& names, int64_t workers, int64_t worker) {
  if (KeepsElementsApart(names->kind())) {
    return names->WithInputs(
        {ShardNames(names->inputs().front(), workers, worker)});
  }
  CheckEnough(CountUpTo(names, workers), workers);
  return MakeShard(names, workers, worker);
}

}  // namespace

std::optional<NodeKind> FindOtherSource(const DatasetNode& node) {
  if (FunctionReadsFiles(node)) return std::nullopt;
  if (node.inputs().empty()) {
    if (ReadsFiles(node.kind())) return std::nullopt;
    return node.kind();
  }
  for (const NodePtr& input : node.inputs()) {
    if (const auto found = FindOtherSource(*input)) return found;
  }
  return std::nullopt;
}

NodePtr ShardFiles(const NodePtr& node, int64_t workers, int64_t worker) {
  if (FunctionReadsFiles(*node)) {
    return node->WithInputs(
        {ShardNames(node->inputs().front(), workers, worker)});
  }
  if (node->inputs().empty()) {
    CheckEnough(std::ssize(FilesOf(*node)), workers);
    return MakeFileShard(*node, workers, worker);
  }
  std::vector<NodePtr> inputs;
  for (const NodePtr& input : node->inputs()) {
    inputs.push_back(ShardFiles(input, workers, worker));
  }
  return node->WithInputs(std::move(inputs));
}

}  // namespace lockstep::data_internal
