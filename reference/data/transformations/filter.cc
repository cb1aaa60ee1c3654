#include "reference/data/transformations/filter.h"

#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

using Predicate = std::function<bool(const Structure&)>;

class FilterStream final : public Stream<Structure> {
 public:
  FilterStream(StreamPtr<Structure> input, Predicate predicate)
      : input_(std::move(input)), predicate_(std::move(predicate)) {}

  int64_t Next(std::span<Structure> out) override {
    while (input_->Next(out.first(1)) == 1) {
      if (Holds(out.front())) return 1;
    }
    return 0;
  }

 private:
  bool Holds(const Structure& element) const {
    const HostScope scope;
    return predicate_(element);
  }

  StreamPtr<Structure> input_;
  Predicate predicate_;
};

class FilterNode final : public DatasetNode {
 public:
  FilterNode(NodePtr input, Predicate predicate)
      : input_(std::move(input)), predicate_(std::move(predicate)) {}

  SpecStructure element_spec() const override { return input_->element_spec(); }
  bool spec_is_declared() const override { return input_->spec_is_declared(); }
  int64_t cardinality() const override { return kUnknownCardinality; }
  StreamPtr<Structure> OpenElements() const override {
    return std::make_unique<FilterStream>(input_->OpenElements(), predicate_);
  }

 private:
  NodePtr input_;
  Predicate predicate_;
};

}  // namespace

NodePtr MakeFilter(NodePtr input, Predicate predicate) {
  if (!predicate) throw InvalidArgument("[Filter] there is no function");
  return std::make_shared<FilterNode>(std::move(input), std::move(predicate));
}

}  // namespace lockstep::data_internal
