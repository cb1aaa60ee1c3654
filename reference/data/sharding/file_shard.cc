#include "reference/data/sharding/file_shard.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/data/rewriting.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

// Whether this is a FlatMap or Interleave whose function opens files by name.
bool FunctionReadsFiles(const DatasetNode& node) {
  const NodePtr dataset = node.FirstDataset();
  return dataset != nullptr && FindOtherSource(*dataset) == nullptr;
}

// The first node that is `wanted`. Not below a FlatMap or Interleave that reads
// files: what its function returns is read as a whole by one worker.
const DatasetNode* FindOutsideFiles(const DatasetNode& node,
                                    const NodeVisitor& wanted) {
  const DatasetNode* found = nullptr;
  VisitNodes(node, [&](const DatasetNode& visited) {
    if (found != nullptr || FunctionReadsFiles(visited)) return false;
    if (wanted(visited)) found = &visited;
    return true;
  });
  return found;
}

// Whether dropping elements before the node is the same as after it, except for
// their order.
bool KeepsElementsApart(NodeKind kind) {
  return kind == NodeKind::kShuffle || kind == NodeKind::kMap ||
         kind == NodeKind::kRepeat || kind == NodeKind::kPrefetch ||
         kind == NodeKind::kCache || kind == NodeKind::kOptions ||
         kind == NodeKind::kAssertCardinality;
}

// The number of elements of `node`, counted up to `most`.
int64_t CountUpTo(const NodePtr& node, int64_t most) {
  if (const int64_t known = node->cardinality(); known >= 0) return known;
  const ReaderPtr<Structure> reader = node->OpenElements(Pass::Peek(*node));
  Structure element;
  int64_t count = 0;
  while (count < most && reader->Next({&element, 1}) == 1) ++count;
  return count;
}

void CheckEnough(int64_t files, int64_t workers) {
  if (files >= workers) return;
  throw InvalidArgument(
      "[AutoShard] the dataset has {} file(s), which is not enough for {} "
      "workers: under the policy FILE each worker needs at least one",
      files, workers);
}

// The source reduced to the worker's files.
NodePtr ShardSource(const DatasetNode& source, int64_t workers,
                    int64_t worker) {
  const std::vector<std::string>& files = *source.files();
  CheckEnough(std::ssize(files), workers);
  std::vector<std::string> own;
  for (int64_t i = worker; i < std::ssize(files); i += workers) {
    own.push_back(files[i]);
  }
  return source.WithFiles(std::move(own));
}

// Shards the names of the files that a function of the program opens.
Rewriting ShardingNames(int64_t workers, int64_t worker) {
  return Rewriting(
      [=](Rewriting& names, const NodePtr& node) {
        if (KeepsElementsApart(node->kind())) {
          return DropAssertion(*node, names.OfInputs(node));
        }
        CheckEnough(CountUpTo(node, workers), workers);
        return MakeShard(node, workers, worker);
      },
      fmt::format("names of worker {} of {}", worker, workers));
}

}  // namespace

const DatasetNode* FindOtherSource(const DatasetNode& node) {
  return FindOutsideFiles(node, [](const DatasetNode& visited) {
    return visited.inputs().empty() && visited.files() == nullptr;
  });
}

const DatasetNode* FindWholeInput(const DatasetNode& node) {
  return FindOutsideFiles(node, [](const DatasetNode& visited) {
    return visited.kind() == NodeKind::kWholeInput;
  });
}

NodePtr DropAssertion(const DatasetNode& before, NodePtr after) {
  if (after->kind() != NodeKind::kAssertCardinality || after.get() == &before) {
    return after;
  }
  LogWarning(
      "[AutoShard] AssertCardinality({}) is dropped: it counts the elements of "
      "all workers, and each reads only a part",
      before.cardinality());
  return after->inputs().front();
}

NodePtr ShardFiles(const NodePtr& node, int64_t workers, int64_t worker) {
  Rewriting names = ShardingNames(workers, worker);
  Rewriting files(
      [&](Rewriting& all, const NodePtr& visited) {
        if (FunctionReadsFiles(*visited)) return names.OfInputs(visited);
        if (!visited->inputs().empty()) {
          return DropAssertion(*visited, all.OfInputs(visited));
        }
        return ShardSource(*visited, workers, worker);
      },
      fmt::format("files of worker {} of {}", worker, workers));
  return files.Of(node);
}

}  // namespace lockstep::data_internal
