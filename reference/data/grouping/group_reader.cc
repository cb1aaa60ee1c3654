#include "reference/data/grouping/group_reader.h"

#include <memory>
#include <utility>

namespace lockstep::data_internal {
namespace {

class GroupNode final : public SourceNode {
 public:
  GroupNode(std::vector<Structure> elements, NodePtr input)
      : SourceNode("Group"),
        elements_(
            std::make_shared<std::vector<Structure>>(std::move(elements))),
        input_(std::move(input)) {}

  SpecStructure MakeSpec() const override { return input_->element_spec(); }
  bool DeclaresSpec() const override { return input_->spec_is_declared(); }
  int64_t CountElements() const override { return std::ssize(*elements_); }
  bool IsLight() const override { return true; }
  ReaderPtr<Structure> OpenElements(const PassPtr&) const override {
    return std::make_unique<ItemsReader<Structure>>(elements_);
  }

 private:
  Items<Structure> elements_;
  NodePtr input_;
};

}  // namespace

NodePtr MakeGroup(std::vector<Structure> elements, NodePtr input) {
  return std::make_shared<GroupNode>(std::move(elements), std::move(input));
}

int64_t GroupReader::Next(std::span<Structure> out) {
  while (!at_end_) {
    if (current_ != nullptr && current_->Next(out.first(1)) == 1) return 1;
    current_ = nullptr;
    const NodePtr next = NextDataset();
    at_end_ = next == nullptr;
    if (!at_end_) current_ = OpenPass(*next);
  }
  return 0;
}

}  // namespace lockstep::data_internal
