// Filter and TakeWhile: what a predicate keeps of the elements.
#include <memory>
#include <string_view>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/subset_node.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

bool Holds(const FilterFunction& predicate, const Structure& element) {
  const HostScope scope;
  return predicate(element);
}

class FilterReader final : public Reader<Structure> {
 public:
  FilterReader(ReaderPtr<Structure> input, FilterFunction predicate)
      : input_(std::move(input)), predicate_(std::move(predicate)) {}

  int64_t Next(std::span<Structure> out) override {
    while (input_->Next(out.first(1)) == 1) {
      if (Holds(predicate_, out.front())) return 1;
    }
    return 0;
  }

 private:
  ReaderPtr<Structure> input_;
  FilterFunction predicate_;
};

class TakeWhileReader final : public Reader<Structure> {
 public:
  TakeWhileReader(ReaderPtr<Structure> input, FilterFunction predicate)
      : input_(std::move(input)), predicate_(std::move(predicate)) {}

  int64_t Next(std::span<Structure> out) override {
    if (at_end_) return 0;
    at_end_ =
        input_->Next(out.first(1)) == 0 || !Holds(predicate_, out.front());
    return at_end_ ? 0 : 1;
  }

 private:
  ReaderPtr<Structure> input_;
  FilterFunction predicate_;
  bool at_end_ = false;
};

template <typename PredicateReader>
class PredicateNode final : public SubsetNode {
 public:
  PredicateNode(std::string_view name, NodePtr input, NodeKind kind,
                FilterFunction predicate)
      : SubsetNode(name, {std::move(input)}, kind),
        predicate_(std::move(predicate)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<PredicateNode>(name(), std::move(inputs.front()),
                                           kind(), predicate_);
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<PredicateReader>(input().OpenElements(pass),
                                             predicate_);
  }

 private:
  FilterFunction predicate_;
};

template <typename PredicateReader>
NodePtr MakePredicateNode(std::string_view name, NodePtr input, NodeKind kind,
                          FilterFunction predicate) {
  if (!predicate) throw InvalidArgument("[{}] there is no function", name);
  return std::make_shared<PredicateNode<PredicateReader>>(
      name, std::move(input), kind, std::move(predicate));
}

}  // namespace

NodePtr MakeFilter(NodePtr input, FilterFunction predicate) {
  return MakePredicateNode<FilterReader>(
      "Filter", std::move(input), NodeKind::kOther, std::move(predicate));
}

NodePtr MakeTakeWhile(NodePtr input, FilterFunction predicate) {
  return MakePredicateNode<TakeWhileReader>("TakeWhile", std::move(input),
                                            NodeKind::kWholeInput,
                                            std::move(predicate));
}

}  // namespace lockstep::data_internal
