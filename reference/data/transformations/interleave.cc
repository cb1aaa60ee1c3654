#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/prefetch_reader.h"
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

// Reads cycle_length slots in turn. A slot whose dataset has ended gets the
// next dataset at its turn.
class InterleaveReader final : public Reader<Structure> {
 public:
  InterleaveReader(ReaderPtr<Structure> input, NodeFunction function,
                   const InterleaveOptions& options)
      : input_(std::move(input)),
        function_(std::move(function)),
        options_(options) {}

  int64_t Next(std::span<Structure> out) override {
    while (open_ > 0 || !input_ended_) {
      if (turn_ < std::ssize(slots_) && slots_[turn_] != nullptr) {
        if (slots_[turn_]->Next(out.first(1)) == 1) {
          if (++taken_ == options_.block_length) NextTurn();
          return 1;
        }
        slots_[turn_] = nullptr;
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
    ReaderPtr<Structure> reader = OpenPass(*Call(function_, element));
    if (turn_ < options_.num_parallel_calls) {
      reader = std::make_unique<PrefetchReader<Structure>>(
          std::move(reader), std::max(options_.block_length, kLeastAhead));
    }
    if (turn_ == std::ssize(slots_)) slots_.emplace_back();
    slots_[turn_] = std::move(reader);
    ++open_;
  }

  ReaderPtr<Structure> input_;
  NodeFunction function_;
  InterleaveOptions options_;
  bool input_ended_ = false;
  std::vector<ReaderPtr<Structure>> slots_;
  int64_t open_ = 0;   // slots with a dataset
  int64_t turn_ = 0;   // the slot
  int64_t taken_ = 0;  // in this turn
};

class InterleaveNode final : public DatasetNode {
 public:
  InterleaveNode(std::string_view name, NodePtr input, NodeFunction function,
                 const InterleaveOptions& options)
      : DatasetNode(name, {std::move(input)}),
        function_(std::move(function)),
        options_(options) {}

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
  if (options.num_parallel_calls < 0) {
    throw InvalidArgument(
        "[Interleave] num_parallel_calls must not be negative, got {}",
        options.num_parallel_calls);
  }
  return std::make_shared<InterleaveNode>("Interleave", std::move(input),
                                          std::move(function), options);
}

}  // namespace lockstep::data_internal
