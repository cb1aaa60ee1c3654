#include "reference/data/pass.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/data/dataset_node.h"
#include "reference/data/rewriting.h"

namespace lockstep::data_internal {
namespace {

uint64_t TakeFront(std::span<const uint64_t>& state) {
  const uint64_t number = state.front();
  state = state.subspan(1);
  return number;
}

// Contains a memory twice if the pipeline has two forms of one node.
std::vector<ShuffleMemory*> ShufflesOf(const DatasetNode& pipeline) {
  std::vector<ShuffleMemory*> found;
  VisitNodes(pipeline, [&](const DatasetNode& node) {
    if (ShuffleMemory* memory = node.shuffle_memory()) found.push_back(memory);
    return true;
  });
  return found;
}

// Each node after all of its inputs.
void InputsFirst(const DatasetNode& node,
                 std::unordered_set<const DatasetNode*>& seen,
                 std::vector<const DatasetNode*>& order) {
  if (!seen.insert(&node).second) return;
  for (const NodePtr& input : node.inputs()) InputsFirst(*input, seen, order);
  order.push_back(&node);
}

// How often one pass may open each shuffle.
using Openings = std::vector<std::pair<ShuffleMemory*, uint64_t>>;

// A pipeline can have more passes, or paths, than a number can count.
constexpr uint64_t kMostOpenings = uint64_t{1} << 31;

uint64_t PassesOverInput(const DatasetNode& node) {
  return std::min<uint64_t>(node.passes_over_input(), kMostOpenings);
}

// Nothing for a pipeline that is no chain: one with a node of several inputs.
std::optional<Openings> CountOpeningsOfChain(const DatasetNode& pipeline) {
  Openings found;
  uint64_t own = 1;
  for (const DatasetNode* node = &pipeline;; node = &*node->inputs().front()) {
    if (ShuffleMemory* memory = node->shuffle_memory()) {
      found.emplace_back(memory, own);
    }
    if (node->inputs().empty()) return found;
    if (node->inputs().size() > 1) return std::nullopt;
    own = std::min(kMostOpenings, own * PassesOverInput(*node));
  }
}

Openings CountOpenings(const DatasetNode& pipeline) {
  if (auto of_chain = CountOpeningsOfChain(pipeline)) return *of_chain;
  std::unordered_set<const DatasetNode*> seen;
  std::vector<const DatasetNode*> order;
  InputsFirst(pipeline, seen, order);
  std::unordered_map<const DatasetNode*, uint64_t> openings{{&pipeline, 1}};
  std::unordered_map<ShuffleMemory*, uint64_t> of_shuffles;
  for (auto reader = order.rbegin(); reader != order.rend(); ++reader) {
    const DatasetNode* const node = *reader;
    const uint64_t own = openings[node];
    if (ShuffleMemory* memory = node->shuffle_memory()) {
      of_shuffles[memory] += own;
    }
    for (const NodePtr& input : node->inputs()) {
      uint64_t& of_input = openings[input.get()];
      of_input =
          std::min(kMostOpenings, of_input + own * PassesOverInput(*node));
    }
  }
  return {of_shuffles.begin(), of_shuffles.end()};
}

std::vector<PassMemory*> MemoriesOf(std::span<const NodePtr> pipelines) {
  std::vector<PassMemory*> found;
  VisitNodes(pipelines, [&](const DatasetNode& node) {
    if (PassMemory* memory = node.memory()) found.push_back(memory);
    return true;
  });
  return found;
}

}  // namespace

void ShuffleMemory::Save(PassState& state) const {
  state.push_back(seed_);
  state.push_back(passes_);
}

void ShuffleMemory::Restore(std::span<const uint64_t>& state, PassScope scope) {
  const uint64_t seed = TakeFront(state);
  if (scope == PassScope::kAll) seed_ = seed;
  passes_ = TakeFront(state);
}

PassPtr Pass::Begin(const DatasetNode& pipeline) {
  auto pass = std::make_shared<Pass>();
  for (const auto& [shuffle, openings] : CountOpenings(pipeline)) {
    if (pass->entries_.contains(shuffle)) continue;
    const uint64_t first = shuffle->Begin(openings);
    pass->entries_[shuffle].first = {shuffle->seed(), first};
  }
  return pass;
}

PassPtr Pass::Peek(const DatasetNode& pipeline) {
  auto pass = std::make_shared<Pass>();
  for (const ShuffleMemory* shuffle : ShufflesOf(pipeline)) {
    pass->entries_[shuffle].first = {shuffle->seed(), shuffle->passes()};
  }
  return pass;
}

PassPtr Pass::At(const DatasetNode& pipeline,
                 const std::vector<ShuffleOrder>& orders) {
  auto pass = std::make_shared<Pass>();
  const std::vector<ShuffleMemory*> shuffles = ShufflesOf(pipeline);
  LOCKSTEP_CHECK(shuffles.size() == orders.size());
  for (size_t i = 0; i < shuffles.size(); ++i) {
    pass->entries_[shuffles[i]].first = orders[i];
  }
  return pass;
}

ShuffleOrder Pass::Open(const ShuffleMemory& shuffle) {
  const auto found = entries_.find(&shuffle);
  LOCKSTEP_CHECK(found != entries_.end());
  const ShuffleOrder& first = found->second.first;
  const uint64_t before = found->second.openings.fetch_add(1);
  return {first.seed, first.pass + before};
}

std::vector<ShuffleOrder> Pass::OpenAll(const DatasetNode& pipeline) {
  std::vector<ShuffleOrder> orders;
  for (const ShuffleMemory* shuffle : ShufflesOf(pipeline)) {
    orders.push_back(Open(*shuffle));
  }
  return orders;
}

size_t CountShuffles(const DatasetNode& pipeline) {
  return ShufflesOf(pipeline).size();
}

namespace {

PassState StateOf(const std::vector<PassMemory*>& memories) {
  PassState state;
  for (const PassMemory* memory : memories) memory->Save(state);
  return state;
}

}  // namespace

PassState SavePasses(std::span<const NodePtr> pipelines) {
  return StateOf(MemoriesOf(pipelines));
}

void RestorePasses(std::span<const NodePtr> pipelines,
                   std::span<const uint64_t> state, PassScope scope) {
  const std::vector<PassMemory*> memories = MemoriesOf(pipelines);
  const size_t wanted = StateOf(memories).size();
  if (state.size() != wanted) {
    throw InvalidArgument(
        "[RestorePasses] the state is of a pipeline with other shuffles and "
        "caches: it has {} numbers, wanted {}",
        state.size(), wanted);
  }
  for (PassMemory* memory : memories) memory->Restore(state, scope);
}

}  // namespace lockstep::data_internal
