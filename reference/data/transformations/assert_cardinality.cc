#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

// Returns all elements that are expected before it looks for another.
template <typename Item>
class CountingReader final : public Reader<Item> {
 public:
  CountingReader(ReaderPtr<Item> input, int64_t wanted)
      : input_(std::move(input)), wanted_(wanted) {}

  int64_t Next(std::span<Item> out) override {
    const int64_t left = wanted_ - count_;
    const int64_t most = std::max<int64_t>(left, 1);
    const int64_t read = input_->Next(
        wanted_ < 0 ? out : out.first(std::min<size_t>(out.size(), most)));
    count_ += read;
    if (wanted_ < 0 ? read == 0 : (left == 0) != (read == 0)) {
      throw FailedPrecondition(
          "[AssertCardinality] expected {}, got {}{} elements; assert the "
          "actual number, or remove the assertion",
          wanted_ < 0 ? "no end" : fmt::format("{}", wanted_),
          read > 0 ? "at least " : "", count_);
    }
    return read;
  }

 private:
  ReaderPtr<Item> input_;
  int64_t wanted_;
  int64_t count_ = 0;
};

class AssertCardinalityNode final
    : public SelectionNode<AssertCardinalityNode> {
 public:
  AssertCardinalityNode(NodePtr input, int64_t count)
      : SelectionNode("AssertCardinality", std::move(input),
                      NodeKind::kAssertCardinality),
        count_(count) {}

  std::string arguments() const override {
    return Arguments().Add("count", CardinalityText(count_)).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<AssertCardinalityNode>(std::move(inputs.front()),
                                                   count_);
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    return std::make_unique<CountingReader<Item>>(Open<Item>(input(), pass),
                                                  count_);
  }

 private:
  int64_t CountElements() const override { return count_; }

  int64_t count_;
};

}  // namespace

NodePtr MakeAssertCardinality(NodePtr input, int64_t count) {
  if (count < 0 && count != kInfiniteCardinality) {
    throw InvalidArgument(
        "[AssertCardinality] the number must be 0 or more, or "
        "kInfiniteCardinality, got {}",
        count);
  }
  return std::make_shared<AssertCardinalityNode>(std::move(input), count);
}

}  // namespace lockstep::data_internal
