// One pass over a pipeline, and what passes to come depend on.
//
// What a pipeline remembers from pass to pass belongs to its nodes: a shuffle
// knows how many passes have begun, a cache what the first complete pass gave.
// Whoever reads the same node, plainly or distributed, again or by another
// path, goes on from there:
//
//   const Dataset order = Dataset::Range(8).Shuffle(8, /*seed=*/1);
//   ReadAll(order);                               // pass 0
//   strategy.DistributeDataset(order.Batch(2));   // its passes are 1, 2, ...
//
// A pass takes its number from every shuffle when it begins. So the next pass
// is the same however far this one was read, or read ahead.
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

// How far the passes over a pipeline are, as numbers that another process
// understands.
using PassState = std::vector<uint64_t>;

// What RestorePasses takes of a state.
enum class PassScope {
  kAll,
  // How many passes have begun: seeds and caches stay this process's own.
  kCounts,
};

// What a node remembers of its passes, shared by all forms of the node
// (dataset_node.h).
class PassMemory {
 public:
  virtual ~PassMemory() = default;
  // Appends as many numbers whatever was read.
  virtual void Save(PassState& state) const = 0;
  // Takes what Save appended off the front. REQUIRES: it is there.
  virtual void Restore(std::span<const uint64_t>& state, PassScope scope) = 0;
};

// A shuffle's: its seed, and how many passes have begun.
class ShuffleMemory final : public PassMemory {
 public:
  ShuffleMemory(uint64_t seed, bool has_seed)
      : seed_(seed), has_seed_(has_seed) {}

  // False: the seed was chosen by chance.
  bool has_seed() const { return has_seed_; }
  uint64_t seed() const { return seed_; }
  uint64_t passes() const { return passes_; }
  // Begins a pass: its number.
  uint64_t Begin() { return passes_.fetch_add(1); }

  void Save(PassState& state) const override;
  void Restore(std::span<const uint64_t>& state, PassScope scope) override;

 private:
  std::atomic<uint64_t> seed_;
  const bool has_seed_;
  std::atomic<uint64_t> passes_{0};
};

// Which order a shuffle takes: every other stream of random numbers gives
// another one.
struct ShuffleOrder {
  uint64_t seed = 0;
  uint64_t stream = 0;

  bool operator==(const ShuffleOrder&) const = default;
};

// Threads that read ahead in one pass may share it.
class Pass {
 public:
  // The next pass over `pipeline`.
  static PassPtr Begin(const DatasetNode& pipeline);
  // The same without beginning it: for a look at elements that leaves no trace.
  static PassPtr Peek(const DatasetNode& pipeline);
  // A pass over a part of one: over `pipeline` in the orders that OpenAll gave
  // for it. REQUIRES: they are as many as its shuffles.
  static PassPtr At(const DatasetNode& pipeline,
                    const std::vector<ShuffleOrder>& orders);

  // The order of a shuffle that is opened now. Pass p takes stream p the first
  // time, and another one each time that it opens the shuffle again, as a
  // Repeat does. REQUIRES: a shuffle of the pipeline.
  ShuffleOrder Open(const ShuffleMemory& shuffle);
  // The same of all shuffles in `pipeline`, which is the pass's own or a part
  // of it.
  std::vector<ShuffleOrder> OpenAll(const DatasetNode& pipeline);

 private:
  struct Entry {
    ShuffleOrder first;
    std::atomic<uint64_t> openings{0};
  };

  std::unordered_map<const ShuffleMemory*, Entry> entries_;
};

// How many numbers OpenAll(pipeline) gives.
size_t CountShuffles(const DatasetNode& pipeline);

// What the passes to come over the pipelines depend on besides their nodes, each
// node once. `pipelines` may share nodes.
PassState SavePasses(
    std::span<const std::shared_ptr<const DatasetNode>> pipelines);
// The next pass is then the one that it would have been where the state was
// saved. Errors: InvalidArgument for the state of other pipelines; nothing is
// changed then.
void RestorePasses(
    std::span<const std::shared_ptr<const DatasetNode>> pipelines,
    std::span<const uint64_t> state, PassScope scope);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_PASS_H_
