#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "reference/data/subset_node.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

// An input that throws so often without an element repeats an error forever,
// as AssertCardinality at a wrong end.
constexpr int64_t kMostErrorsInARow = 1'000'000;

class IgnoreErrorsReader final : public Reader<Structure> {
 public:
  explicit IgnoreErrorsReader(ReaderPtr<Structure> input)
      : input_(std::move(input)) {}

  int64_t Next(std::span<Structure> out) override {
    for (int64_t errors = 0;;) {
      try {
        return input_->Next(out.first(1));
      } catch (const std::bad_alloc&) {
        throw;  // not a property of the element
      } catch (const std::exception&) {
        if (++errors == kMostErrorsInARow) throw;
      }
    }
  }

 private:
  ReaderPtr<Structure> input_;
};

class IgnoreErrorsNode final : public SubsetNode {
 public:
  explicit IgnoreErrorsNode(NodePtr input)
      : SubsetNode("IgnoreErrors", {std::move(input)}, NodeKind::kWholeInput) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<IgnoreErrorsNode>(std::move(inputs.front()));
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<IgnoreErrorsReader>(input().OpenElements(pass));
  }
};

}  // namespace

NodePtr MakeIgnoreErrors(NodePtr input) {
  return std::make_shared<IgnoreErrorsNode>(std::move(input));
}

}  // namespace lockstep::data_internal
