#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/data/element.h"
#include "reference/data/prefetch_reader.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/transformations/parallelism.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

// The fewest elements that a thread reads ahead.
constexpr int64_t kLeastAhead = 8;

NodePtr Call(const NodeFunction& function, const Structure& element) {
  const HostScope scope;
  return function(element);
}

// An open dataset.
struct Slot {
  ReaderPtr<Structure> reader;  // nullptr: none
  // The reader if it has a thread, else nullptr.
  PrefetchReader<Structure>* ahead = nullptr;
};

// Reads cycle_length slots in turn. A slot whose dataset has ended gets the
// next dataset at its turn. For kAutotune a slot gets its thread at the first
// turn after elements turned out to take longer than to hand them over.
class InterleaveReader final : public Reader<Structure> {
 public:
  InterleaveReader(ReaderPtr<Structure> input, NodeFunction function,
                   const InterleaveOptions& options)
      : input_(std::move(input)),
        function_(std::move(function)),
        options_(options),
        threads_(options.num_parallel_calls, options.cycle_length) {}

  int64_t Next(std::span<Structure> out) override {
    while (open_ > 0 || !input_ended_) {
      if (IsOpen(turn_)) {
        if (options_.num_parallel_calls != 0) ReadAheadIfUseful();
        if (!options_.deterministic) TurnToReady();
        if (!IsOpen(turn_)) continue;
        if (Read(out)) {
          if (++taken_ == options_.block_length) NextTurn();
          return 1;
        }
        slots_[turn_] = {};
        --open_;
        NextTurn();
      } else if (!input_ended_) {
        OpenNext();
      } else {
        NextTurn();
      }
    }
    return 0;
  }

 private:
  bool IsOpen(int64_t slot) const {
    return slot < std::ssize(slots_) && slots_[slot].reader != nullptr;
  }

  bool Read(std::span<Structure> out) {
    const auto start = CallTuner::Clock::now();
    const bool read = slots_[turn_].reader->Next(out.first(1)) == 1;
    if (!read) return false;
    const auto took = CallTuner::Clock::now() - start;
    threads_.Took(took);
    if (slots_[turn_].ahead == nullptr) gauge_.Took(took);
    return true;
  }

  // Gives the slot that has the turn a thread.
  void ReadAheadIfUseful() {
    Slot& slot = slots_[turn_];
    if (slot.ahead != nullptr || turn_ >= threads_.calls()) return;
    if (options_.num_parallel_calls == kAutotune && !gauge_.heavy()) return;
    auto ahead = std::make_unique<PrefetchReader<Structure>>(
        std::move(slot.reader), std::max(options_.block_length, kLeastAhead),
        Refill::kAtHalf, options_.deterministic ? nullptr : &arrivals_);
    slot.ahead = ahead.get();
    slot.reader = std::move(ahead);
  }

  // Gives the turn to the next slot that is ready, if this one is not. If none
  // is, the next dataset gets the turn, so that it need not wait for a slow
  // one; if there is none, it waits for the first that becomes ready.
  void TurnToReady() {
    while (true) {
      const uint32_t seen = arrivals_.load();
      if (const auto slot = ReadySlot()) return SetTurn(*slot);
      if (const auto slot = UnusedSlot()) return SetTurn(*slot);
      WaitForChange(arrivals_, seen, kPrefetchSpins);
    }
  }

  // From the one that has the turn. One without a thread is always ready, since
  // it is read by this one; it comes after those with elements.
  std::optional<int64_t> ReadySlot() {
    const int64_t slots = std::ssize(slots_);
    std::optional<int64_t> without_thread;
    for (int64_t i = 0; i < slots; ++i) {
      const int64_t slot = (turn_ + i) % slots;
      if (!IsOpen(slot)) continue;
      PrefetchReader<Structure>* ahead = slots_[slot].ahead;
      if (ahead == nullptr ? i == 0 : ahead->IsReady()) return slot;
      if (ahead == nullptr && !without_thread) without_thread = slot;
    }
    return without_thread;
  }

  // That gets the next dataset.
  std::optional<int64_t> UnusedSlot() const {
    if (input_ended_) return std::nullopt;
    for (int64_t slot = 0; slot < options_.cycle_length; ++slot) {
      if (!IsOpen(slot)) return slot;
    }
    return std::nullopt;
  }

  void SetTurn(int64_t slot) {
    if (slot != turn_) taken_ = 0;
    turn_ = slot;
  }

  void NextTurn() {
    taken_ = 0;
    ++turn_;
    // Once no dataset is added, slots after the last used one need no turn.
    const bool skip_rest = input_ended_ && turn_ >= std::ssize(slots_);
    if (turn_ == options_.cycle_length || skip_rest) turn_ = 0;
  }

  // An error costs the element of the input.
  void OpenNext() {
    Structure element;
    if (input_->Next({&element, 1}) == 0) {
      input_ended_ = true;
      return;
    }
    Slot slot{.reader = OpenPass(*Call(function_, element))};
    if (turn_ == std::ssize(slots_)) slots_.emplace_back();
    slots_[turn_] = std::move(slot);
    ++open_;
  }

  ReaderPtr<Structure> input_;
  NodeFunction function_;
  InterleaveOptions options_;
  CallLimit threads_;
  LightGauge gauge_;  // of slots without a thread
  bool input_ended_ = false;
  Arrivals arrivals_{0};  // from all slots
  std::vector<Slot> slots_;
  int64_t open_ = 0;   // slots with a dataset
  int64_t turn_ = 0;   // the slot
  int64_t taken_ = 0;  // in this turn
};

NodeKind KindOf(const InterleaveOptions& options) {
  const bool ordered = options.deterministic || options.num_parallel_calls == 0;
  return ordered ? NodeKind::kOther : NodeKind::kUnordered;
}

class InterleaveNode final : public DatasetNode {
 public:
  InterleaveNode(std::string_view name, NodePtr input, NodeFunction function,
                 const InterleaveOptions& options)
      : DatasetNode(name, {std::move(input)}, KindOf(options)),
        function_(std::move(function)),
        options_(options) {}

  std::string arguments() const override {
    return Arguments()
        .Add("cycle_length", options_.cycle_length, int64_t{1})
        .Add("block_length", options_.block_length, int64_t{1})
        .AddCalls(options_.num_parallel_calls)
        .Add("deterministic", options_.deterministic, true)
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<InterleaveNode>(name(), std::move(inputs.front()),
                                            function_, options_);
  }
  SpecStructure MakeSpec() const override {
    if (const NodePtr first = FirstDataset()) return first->element_spec();
    throw InvalidArgument(
        "[{}] the input has no element to call the function with, so the spec "
        "is unknown",
        name());
  }
  int64_t CountElements() const override {
    return input().cardinality() == 0 ? 0 : kUnknownCardinality;
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<InterleaveReader>(input().OpenElements(pass),
                                              function_, options_);
  }

  NodePtr FirstDataset() const override {
    const std::optional<Structure> element = PeekAtFirst(input());
    return element ? Call(function_, *element) : nullptr;
  }

 private:
  NodeFunction function_;
  InterleaveOptions options_;
};

void CheckPositive(std::string_view name, int64_t got) {
  if (got >= 1) return;
  throw InvalidArgument("[Interleave] {} must be positive, got {}", name, got);
}

void CheckFunction(std::string_view name, const NodeFunction& function) {
  if (function) return;
  throw InvalidArgument("[{}] there is no function", name);
}

}  // namespace

NodePtr MakeFlatMap(NodePtr input, NodeFunction function) {
  CheckFunction("FlatMap", function);
  return std::make_shared<InterleaveNode>(
      "FlatMap", std::move(input), std::move(function), InterleaveOptions{});
}

NodePtr MakeInterleave(NodePtr input, NodeFunction function,
                       const InterleaveOptions& options) {
  CheckFunction("Interleave", function);
  CheckPositive("cycle_length", options.cycle_length);
  CheckPositive("block_length", options.block_length);
  CheckParallelCalls("Interleave", options.num_parallel_calls);
  if (options.num_parallel_calls > options.cycle_length) {
    throw InvalidArgument(
        "[Interleave] num_parallel_calls must be at most cycle_length, got {} "
        "and {}",
        options.num_parallel_calls, options.cycle_length);
  }
  return std::make_shared<InterleaveNode>("Interleave", std::move(input),
                                          std::move(function), options);
}

}  // namespace lockstep::data_internal
