#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/mixing/mixing.h"
#include "reference/data/printing/pipeline_text.h"

namespace lockstep::data_internal {
namespace {

constexpr auto kOperation = "ChooseFromDatasets";

class ChooseReader final : public Reader<Structure> {
 public:
  ChooseReader(std::vector<ReaderPtr<Structure>> inputs,
               ReaderPtr<Structure> choice, bool stop_on_empty)
      : inputs_(std::move(inputs)),
        left_(inputs_.size()),
        choice_(std::move(choice)),
        stop_on_empty_(stop_on_empty) {}

  int64_t Next(std::span<Structure> out) override {
    Structure choice;
    while (left_ > 0 && choice_->Next({&choice, 1}) == 1) {
      ReaderPtr<Structure>& input = Chosen(choice.leaf().item<int64_t>());
      if (input == nullptr) continue;
      if (input->Next(out.first(1)) == 1) return 1;
      input = nullptr;
      left_ = stop_on_empty_ ? 0 : left_ - 1;
    }
    return 0;
  }

 private:
  ReaderPtr<Structure>& Chosen(int64_t index) {
    if (index >= 0 && index < std::ssize(inputs_)) return inputs_[index];
    throw InvalidArgument("[{}] the choice {} is none of 0 to {}", kOperation,
                          index, inputs_.size() - 1);
  }

  std::vector<ReaderPtr<Structure>> inputs_;  // nullptr: at its end
  size_t left_;                               // which are not
  ReaderPtr<Structure> choice_;
  bool stop_on_empty_;
};

// The choice is the last input.
class ChooseNode final : public DatasetNode {
 public:
  ChooseNode(std::vector<NodePtr> inputs, bool stop_on_empty)
      : DatasetNode(kOperation, std::move(inputs), NodeKind::kWholeInput),
        stop_on_empty_(stop_on_empty) {}

  std::string arguments() const override {
    return Arguments().Add("stop_on_empty", stop_on_empty_, true).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ChooseNode>(std::move(inputs), stop_on_empty_);
  }
  SpecStructure MakeSpec() const override {
    SpecStructure spec = input().element_spec();
    for (size_t i = 1; i + 1 < inputs().size(); ++i) {
      spec = MergeSpecs(kOperation, spec, inputs()[i]->element_spec());
    }
    return spec;
  }
  // Endless if the choices are, and one dataset that they may name.
  int64_t CountElements() const override {
    const auto is_endless = [](const NodePtr& input) {
      return input->cardinality() == kInfiniteCardinality;
    };
    const bool endless =
        !stop_on_empty_ && is_endless(inputs().back()) &&
        std::any_of(inputs().begin(), inputs().end() - 1, is_endless);
    return endless ? kInfiniteCardinality : kUnknownCardinality;
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    std::vector<ReaderPtr<Structure>> readers;
    for (const NodePtr& input : inputs()) {
      readers.push_back(input->OpenElements(pass));
    }
    ReaderPtr<Structure> choice = std::move(readers.back());
    readers.pop_back();
    return std::make_unique<ChooseReader>(std::move(readers), std::move(choice),
                                          stop_on_empty_);
  }

 private:
  bool stop_on_empty_;
};

void CheckChoice(const DatasetNode& choice) {
  const TensorSpec wanted = {Shape{}, DType::kInt64};
  const SpecStructure got = choice.element_spec();
  if (got.is_leaf() && got.leaf() == wanted) return;
  throw InvalidArgument("[{}] a choice must be {}, got {}", kOperation,
                        ToString(wanted), DescribeSpec(got));
}

}  // namespace

NodePtr MakeChooseFrom(std::vector<NodePtr> inputs, NodePtr choice,
                       bool stop_on_empty) {
  if (inputs.empty()) {
    throw InvalidArgument("[{}] there are no datasets", kOperation);
  }
  CheckChoice(*choice);
  inputs.push_back(std::move(choice));
  return std::make_shared<ChooseNode>(std::move(inputs), stop_on_empty);
}

}  // namespace lockstep::data_internal
