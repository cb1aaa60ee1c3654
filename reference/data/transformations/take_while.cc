#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

class TakeWhileReader final : public Reader<Structure> {
 public:
  TakeWhileReader(ReaderPtr<Structure> input, FilterFunction predicate)
      : input_(std::move(input)), predicate_(std::move(predicate)) {}

  int64_t Next(std::span<Structure> out) override {
    if (at_end_) return 0;
    at_end_ = input_->Next(out.first(1)) == 0 || !Holds(out.front());
    return at_end_ ? 0 : 1;
  }

 private:
  bool Holds(const Structure& element) const {
    const HostScope scope;
    return predicate_(element);
  }

  ReaderPtr<Structure> input_;
  FilterFunction predicate_;
  bool at_end_ = false;
};

class TakeWhileNode final : public DatasetNode {
 public:
  TakeWhileNode(NodePtr input, FilterFunction predicate)
      : DatasetNode("TakeWhile", {std::move(input)}, NodeKind::kWholeInput),
        predicate_(std::move(predicate)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<TakeWhileNode>(std::move(inputs.front()),
                                           predicate_);
  }
  SpecStructure MakeSpec() const override { return input().element_spec(); }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override { return kUnknownCardinality; }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<TakeWhileReader>(input().OpenElements(pass),
                                             predicate_);
  }

 private:
  FilterFunction predicate_;
};

}  // namespace

NodePtr MakeTakeWhile(NodePtr input, FilterFunction predicate) {
  if (!predicate) throw InvalidArgument("[TakeWhile] there is no function");
  return std::make_shared<TakeWhileNode>(std::move(input),
                                         std::move(predicate));
}

}  // namespace lockstep::data_internal
