// One pass over a pipeline, and the state that later passes depend on.
//
// The nodes keep what a pipeline remembers from pass to pass: a shuffle the
// number of passes that have begun, a cache the elements of the first complete
// pass. Any reader of the same node, local or distributed, continues from
// there:
//
//   const Dataset order = Dataset::Range(8).Shuffle(8, /*seed=*/1);
//   ReadAll(order);                               // pass 0
//   strategy.DistributeDataset(order.Batch(2));   // its passes are 1, 2, ...
//
// A pass takes numbers from every shuffle when it begins: one for each time that
// it may open the shuffle (three below a Repeat(3); one if that has no end). So
// the next pass does not depend on how far this one was read, or read ahead.
#ifndef LOCKSTEP_REFERENCE_DATA_PASS_H_
#define LOCKSTEP_REFERENCE_DATA_PASS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace lockstep::data_internal {

class DatasetNode;
class Pass;
using PassPtr = std::shared_ptr<Pass>;

// The state of the passes over a pipeline, as numbers that another process can
// restore.
using PassState = std::vector<uint64_t>;

// The part of a state that RestorePasses restores.
enum class PassScope {
  kAll,
  // Only how many passes have begun. This process keeps its seeds and caches.
  kCounts,
};

// What a node keeps from pass to pass, shared by all forms of the node
// (dataset_node.h).
class PassMemory {
 public:
  virtual ~PassMemory() = default;
  // Appends a number of values that does not depend on what was read.
  virtual void Save(PassState& state) const = 0;
  // Consumes what Save appended from the front. REQUIRES: it is there.
  virtual void Restore(std::span<const uint64_t>& state, PassScope scope) = 0;
};

// A shuffle keeps its seed and how many passes have begun.
class ShuffleMemory final : public PassMemory {
 public:
  ShuffleMemory(uint64_t seed, bool has_seed)
      : seed_(seed), has_seed_(has_seed) {}

  // False if the seed was chosen at random.
  bool has_seed() const { return has_seed_; }
  uint64_t seed() const { return seed_; }
  uint64_t passes() const { return passes_; }
  // Begins `count` passes and returns the number of the first.
  uint64_t Begin(uint64_t count) { return passes_.fetch_add(count); }

  void Save(PassState& state) const override;
  void Restore(std::span<const uint64_t>& state, PassScope scope) override;

 private:
  std::atomic<uint64_t> seed_;
  const bool has_seed_;
  std::atomic<uint64_t> passes_{0};
};

// Determines the order of a shuffle: that of its pass number `pass`.
struct ShuffleOrder {
  uint64_t seed = 0;
  uint64_t pass = 0;

  bool operator==(const ShuffleOrder&) const = default;
};

// Thread-safe: threads that read ahead may share a pass.
class Pass {
 public:
  // The next pass over `pipeline`.
  static PassPtr Begin(const DatasetNode& pipeline);
  // The same without beginning it, to look at elements without a side effect.
  static PassPtr Peek(const DatasetNode& pipeline);
  // A pass over `pipeline`, part of another one, in the orders that OpenAll
  // returned for it. REQUIRES: one order per shuffle.
  static PassPtr At(const DatasetNode& pipeline,
                    const std::vector<ShuffleOrder>& orders);

  // The order of a shuffle that is opened now: each time that this pass opens
  // it, as a Repeat does, the next one. REQUIRES: a shuffle of the pipeline.
  ShuffleOrder Open(const ShuffleMemory& shuffle);
  // The same for all shuffles of `pipeline`, which is the pipeline of the pass
  // or a part of it.
  std::vector<ShuffleOrder> OpenAll(const DatasetNode& pipeline);

 private:
  struct Entry {
    ShuffleOrder first;
    std::atomic<uint64_t> openings{0};
  };

  std::unordered_map<const ShuffleMemory*, Entry> entries_;
};

// The number of orders that OpenAll(pipeline) returns.
size_t CountShuffles(const DatasetNode& pipeline);

// The state that later passes over the pipelines depend on, each node once.
// `pipelines` may share nodes.
PassState SavePasses(
    std::span<const std::shared_ptr<const DatasetNode>> pipelines);
// Afterwards the next pass is the one that would have been next when the state
// was saved. Errors: InvalidArgument for the state of other pipelines; then
// nothing changes.
void RestorePasses(
    std::span<const std::shared_ptr<const DatasetNode>> pipelines,
    std::span<const uint64_t> state, PassScope scope);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_PASS_H_
