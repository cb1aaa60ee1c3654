#include "reference/data/sharding/auto_shard.h"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/data/dataset_node.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/rebatch.h"
#include "reference/data/rewriting.h"
#include "reference/data/sharding/element_log.h"
#include "reference/data/sharding/file_shard.h"
#include "reference/data/sharding/shard_policy.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep {
namespace {

using data_internal::ChoosePolicy;
using data_internal::DatasetNode;
using data_internal::Division;
using data_internal::FindNode;
using data_internal::MakeRebatch;
using data_internal::NodeKind;
using data_internal::NodePtr;
using data_internal::OptionsOf;
using data_internal::Rewriting;
using data_internal::ShuffleMemory;

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

NodePtr FileShard(const NodePtr& batches, const InputShard& shard) {
  if (const DatasetNode* source = data_internal::FindOtherSource(*batches)) {
    throw NotFound(
        "[AutoShard] the policy FILE requires sources that read files, got {}; "
        "use DATA, or OFF and Shard",
        source->name());
  }
  if (const DatasetNode* whole = data_internal::FindWholeInput(*batches)) {
    throw NotFound(
        "[AutoShard] the policy FILE cannot give {} a part of the files: what "
        "it makes of an element depends on elements before; use DATA, or OFF "
        "and Shard",
        whole->name());
  }
  return data_internal::ShardFiles(batches, shard.workers, shard.worker);
}

NodePtr ReplaceHints(const NodePtr& batches, const InputShard& shard) {
  Rewriting hints(
      [&](Rewriting& all, const NodePtr& node) {
        const NodePtr own = all.OfInputs(node);
        return own->kind() == NodeKind::kShardHint
                   ? data_internal::MakeShard(own->inputs().front(),
                                              shard.workers, shard.worker)
                   : data_internal::DropAssertion(*node, own);
      },
      fmt::format("hints of worker {} of {}", shard.worker, shard.workers));
  return hints.Of(batches);
}

// Whether dividing each element of the inputs divides each element of the node.
// Not for a cache: its contents would differ from those for readers of whole
// elements.
bool PassesElementsOn(NodeKind kind) {
  return kind == NodeKind::kPrefetch || kind == NodeKind::kRepeat ||
         kind == NodeKind::kConcatenate || kind == NodeKind::kOptions;
}

// The worker's parts of `batches`, taken right after a Batch if possible, which
// then makes no other parts (OpenParts).
NodePtr TakeParts(const NodePtr& batches, const Division& division) {
  Rewriting parts([&](Rewriting& all, const NodePtr& node) {
    return PassesElementsOn(node->kind()) ? all.OfInputs(node)
                                          : MakeRebatch(node, division);
  });
  return parts.Of(batches);
}

void CheckOrdered(const DatasetNode& divided, AutoShardPolicy policy) {
  const DatasetNode* unordered = FindNode(divided, [](const DatasetNode& node) {
    return node.kind() == NodeKind::kUnordered;
  });
  if (unordered == nullptr) return;
  throw InvalidArgument(
      "[AutoShard] under the policy {} workers divide the elements of {}, "
      "which have another order on each worker; make it deterministic, or use "
      "FILE",
      ToString(policy), unordered->name());
}

// Checks the elements that a Shard divides.
void CheckShardsOrdered(const DatasetNode& pipeline, AutoShardPolicy policy) {
  data_internal::VisitNodes(pipeline, [&](const DatasetNode& node) {
    if (node.kind() == NodeKind::kShard) CheckOrdered(node, policy);
    return true;
  });
}

bool HasUnseededShuffle(const DatasetNode& pipeline) {
  return FindNode(pipeline, [](const DatasetNode& node) {
    const ShuffleMemory* shuffle = node.shuffle_memory();
    return shuffle != nullptr && !shuffle->has_seed();
  });
}

// Whether a Shard divides the elements of a shuffle without a seed among
// workers.
bool ShardsUnseededShuffle(const DatasetNode& pipeline) {
  return FindNode(pipeline, [](const DatasetNode& node) {
    return node.kind() == NodeKind::kShard && HasUnseededShuffle(node);
  });
}

// Under DATA and HINT the workers of a strategy agree on a seed
// (distribute/input/agreed_end.h).
void WarnOfUnseededShuffle(const Dataset& parts, AutoShardPolicy policy) {
  if (policy == AutoShardPolicy::kData || policy == AutoShardPolicy::kHint ||
      !ShardsUnseededShuffle(*parts.node())) {
    return;
  }
  LogWarning(
      "[AutoShard] workers shard the elements of a shuffle without a seed, "
      "which have another order on each worker: some examples are lost and "
      "others read twice; give Shuffle, or ListFiles, a seed");
}

Dataset PartsUnder(AutoShardPolicy policy, const NodePtr& batches,
                   const InputShard& shard) {
  const Division all{.parts = shard.replicas, .kept = shard.replicas};
  const int64_t own = shard.replicas / shard.workers;
  switch (policy) {
    case AutoShardPolicy::kFile: {
      const NodePtr files = FileShard(batches, shard);
      CheckShardsOrdered(*files, policy);
      return Dataset(MakeRebatch(files, all));
    }
    case AutoShardPolicy::kData:
      CheckOrdered(*batches, policy);
      return Dataset(TakeParts(
          batches,
          {.parts = shard.replicas, .first = shard.worker * own, .kept = own}));
    case AutoShardPolicy::kHint: {
      const NodePtr hinted = ReplaceHints(batches, shard);
      CheckShardsOrdered(*hinted, policy);
      return Dataset(MakeRebatch(hinted, all));
    }
    default:
      return Dataset(MakeRebatch(batches, all));
  }
}

NodePtr ElementsUnder(AutoShardPolicy policy, const NodePtr& elements,
                      const InputShard& shard) {
  switch (policy) {
    case AutoShardPolicy::kFile:
      return FileShard(elements, shard);
    case AutoShardPolicy::kData:
      return data_internal::MakeShard(elements, shard.workers, shard.worker);
    case AutoShardPolicy::kHint:
      return ReplaceHints(elements, shard);
    default:
      return elements;
  }
}

std::string SummarizeFiles(const std::vector<std::string>& files) {
  uint32_t names = 0;
  for (const std::string& file : files) {
    names = ExtendCrc32c(
        names, std::filesystem::path(file).filename().string() + "\n");
  }
  return fmt::format("[{} files, names {:08x}]", files.size(), names);
}

std::string SummarizeNode(const DatasetNode& node) {
  std::string text(node.name());
  if (const std::vector<std::string>* files = node.files()) {
    text += SummarizeFiles(*files);
  } else if (const int64_t elements = node.cardinality(); elements >= 0) {
    text += fmt::format("[{}]", elements);
  }
  return text;
}

// The same for pipelines with the same elements: names of nodes, known numbers
// of elements, and names of files without folders, since machines may keep
// copies in different places. Calls no function of the program.
//
//   Dataset::Range(8).Batch(4)                // "Batch[2](Range[8])"
//   Dataset::FromTextLines({"x", "y"})        // "TextLines[2 files, names
//                                             // 5a9c01d2]"
std::string Summarize(const DatasetNode& node) {
  return data_internal::Describe(node, SummarizeNode);
}

Dataset Logged(const Dataset& parts, const std::string& log,
               const InputShard& shard) {
  const int64_t replicas = shard.replicas / shard.workers;
  return Dataset(data_internal::MakeElementLog(
      parts.node(),
      {.file = fmt::format("{}-{}-of-{}", log, shard.worker, shard.workers),
       .first_replica = shard.worker * replicas,
       .replicas = replicas}));
}

}  // namespace

Dataset AutoShard(const Dataset& batches, const InputShard& shard) {
  Check(shard);
  const NodePtr& node = batches.node();
  const DatasetOptions options = OptionsOf(*node);
  const AutoShardPolicy policy = ChoosePolicy(*node, shard.workers).policy;
  const Dataset parts = PartsUnder(policy, node, shard);
  if (shard.workers > 1) WarnOfUnseededShuffle(parts, policy);
  return options.element_log.empty()
             ? parts
             : Logged(parts, options.element_log, shard);
}

Dataset ShardElements(const Dataset& dataset, const InputShard& shard) {
  Check(shard);
  const NodePtr& node = dataset.node();
  const AutoShardPolicy policy = ChoosePolicy(*node, shard.workers).policy;
  if (policy == AutoShardPolicy::kOff) return dataset;
  const Dataset elements(ElementsUnder(policy, node, shard));
  CheckShardsOrdered(*elements.node(), policy);
  WarnOfUnseededShuffle(elements, policy);
  return elements;
}

Sharding DescribeSharding(const Dataset& batches, const InputShard& shard) {
  const DatasetNode& node = *batches.node();
  const AutoShardPolicy policy = ChoosePolicy(node, shard.workers).policy;
  if (policy == AutoShardPolicy::kOff) return {};
  return {policy, fmt::format("{} of {}", ToString(policy), Summarize(node))};
}

}  // namespace lockstep
