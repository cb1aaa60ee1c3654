#include "reference/data/transformations/concatenate.h"

#include <memory>
#include <utility>

#include "reference/data/element_spec.h"

namespace lockstep::data_internal {
namespace {

class ConcatenateStream final : public Stream<Structure> {
 public:
  ConcatenateStream(StreamPtr<Structure> first, NodePtr second)
      : current_(std::move(first)), second_(std::move(second)) {}

  int64_t Next(std::span<Structure> out) override {
    int64_t read = current_->Next(out);
    if (read == 0 && second_ != nullptr) {
      current_ = std::exchange(second_, nullptr)->OpenElements();
      read = current_->Next(out);
    }
    return read;
  }

 private:
  StreamPtr<Structure> current_;
  NodePtr second_;  // nullptr once it is current
};

class ConcatenateNode final : public DatasetNode {
 public:
  ConcatenateNode(NodePtr first, NodePtr second)
      : first_(std::move(first)), second_(std::move(second)) {}

  SpecStructure element_spec() const override {
    return MergeSpecs("Concatenate", first_->element_spec(),
                      second_->element_spec());
  }
  bool spec_is_declared() const override {
    return first_->spec_is_declared() && second_->spec_is_declared();
  }
  int64_t cardinality() const override {
    const int64_t a = first_->cardinality();
    const int64_t b = second_->cardinality();
    if (a == kInfiniteCardinality || b == kInfiniteCardinality) {
      return kInfiniteCardinality;
    }
    return a < 0 || b < 0 ? kUnknownCardinality : a + b;
  }
  bool is_light() const override {
    return first_->is_light() && second_->is_light();
  }
  StreamPtr<Structure> OpenElements() const override {
    return std::make_unique<ConcatenateStream>(first_->OpenElements(), second_);
  }

 private:
  NodePtr first_;
  NodePtr second_;
};

}  // namespace

NodePtr MakeConcatenate(NodePtr first, NodePtr second) {
  return std::make_shared<ConcatenateNode>(std::move(first), std::move(second));
}

}  // namespace lockstep::data_internal
