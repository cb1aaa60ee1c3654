#include "reference/data/sharding/explain_sharding.h"

#include <fmt/core.h>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "reference/data/printing/pipeline_text.h"
#include "reference/data/sharding/shard_policy.h"

namespace lockstep {
namespace {

using data_internal::DatasetNode;
using data_internal::NodeKind;
using data_internal::NodePtr;

using Notes = std::unordered_map<const DatasetNode*, std::string>;

// "part 1" or "parts 2 to 3".
std::string PartsText(int64_t first, int64_t count) {
  return count == 1 ? fmt::format("part {}", first)
                    : fmt::format("parts {} to {}", first, first + count - 1);
}

// Finds the nodes of the worker's pipeline that the program's does not have.
class Comparison {
 public:
  Comparison(AutoShardPolicy policy, const InputShard& shard)
      : policy_(policy), shard_(shard) {}

  // `own` is what became of `given`.
  void Compare(const DatasetNode& own, const DatasetNode& given) {
    if (given.kind() == NodeKind::kAssertCardinality &&
        own.kind() != NodeKind::kAssertCardinality) {
      return Compare(own, *given.inputs().front());  // dropped
    }
    if (&own == &given || !seen_.insert(&own).second) return;
    if (own.name() == given.name()) {
      if (own.files() != nullptr) notes_[&own] = FilesNote();
      for (size_t i = 0; i < own.inputs().size(); ++i) {
        Compare(*own.inputs()[i], *given.inputs()[i]);
      }
    } else {
      notes_[&own] = AddedNote(own);
      const bool replaced = given.kind() == NodeKind::kShardHint;
      Compare(*own.inputs().front(),
              replaced ? *given.inputs().front() : given);
    }
  }

  Notes& notes() { return notes_; }

 private:
  std::string AddedNote(const DatasetNode& added) const {
    if (added.kind() == NodeKind::kShard) {
      return fmt::format("worker {} takes elements {}, {}, ...", shard_.worker,
                         shard_.worker, shard_.worker + shard_.workers);
    }
    return added.name() == "Rebatch" ? DivisionNote() : "";
  }

  std::string FilesNote() const {
    return fmt::format("worker {} reads files {}, {}, ...", shard_.worker,
                       shard_.worker, shard_.worker + shard_.workers);
  }

  std::string DivisionNote() const {
    if (shard_.replicas == 1) return "each batch as it is";
    const int64_t replicas = shard_.replicas / shard_.workers;
    const std::string divided = fmt::format(
        "each batch in {} parts, one for each replica{}", shard_.replicas,
        shard_.workers > 1 ? " of all workers" : "");
    if (shard_.workers == 1) return divided;
    if (policy_ == AutoShardPolicy::kData) {
      return fmt::format("{}; worker {} keeps {}", divided, shard_.worker,
                         PartsText(shard_.worker * replicas, replicas));
    }
    return fmt::format("{}; a step takes {} of them in turn", divided,
                       replicas);
  }

  AutoShardPolicy policy_;
  InputShard shard_;
  std::unordered_set<const DatasetNode*> seen_;
  Notes notes_;
};

}  // namespace

std::string ExplainSharding(const Dataset& batches, const Dataset& parts,
                            const InputShard& shard) {
  const auto [policy, reason] =
      data_internal::ChoosePolicy(*batches.node(), shard.workers);
  Comparison comparison(policy, shard);
  comparison.Compare(*parts.node(), *batches.node());
  return fmt::format(
      "auto_shard_policy: {} ({})\n{}", ToString(policy), reason,
      data_internal::DescribeTree(*parts.node(), [&](const DatasetNode& node) {
        return comparison.notes()[&node];
      }));
}

}  // namespace lockstep
