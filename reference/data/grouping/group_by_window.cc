#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/grouping/group_reader.h"
#include "reference/data/grouping/grouping.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

int64_t KeyOf(const GroupFunctions& functions, const Structure& element) {
  const HostScope scope;
  return functions.key(element);
}

NodePtr Reduce(const GroupFunctions& functions, int64_t key,
               std::vector<Structure> elements, const NodePtr& input) {
  const HostScope scope;
  return functions.reduce(key, MakeGroup(std::move(elements), input));
}

int64_t SizeOf(const GroupFunctions& functions, int64_t key) {
  const int64_t size = functions.window_size(key);
  if (size >= 1) return size;
  throw InvalidArgument(
      "[GroupByWindow] the window size must be positive, got {} for key {}",
      size, key);
}

class GroupByWindowReader final : public GroupReader {
 public:
  GroupByWindowReader(NodePtr input, const PassPtr& pass,
                      GroupFunctions functions)
      : input_(std::move(input)),
        elements_(input_->OpenElements(pass)),
        functions_(std::move(functions)) {}

 protected:
  NodePtr NextDataset() override {
    Structure element;
    while (elements_->Next({&element, 1}) == 1) {
      const int64_t key = KeyOf(functions_, element);
      const int64_t size = SizeOf(functions_, key);
      const auto group = groups_.try_emplace(key).first;
      group->second.push_back(std::move(element));
      if (std::ssize(group->second) >= size) return Take(group);
    }
    return groups_.empty() ? nullptr : Take(groups_.begin());
  }

 private:
  using Groups = std::map<int64_t, std::vector<Structure>>;

  NodePtr Take(Groups::iterator group) {
    Groups::node_type taken = groups_.extract(group);
    return Reduce(functions_, taken.key(), std::move(taken.mapped()), input_);
  }

  NodePtr input_;
  ReaderPtr<Structure> elements_;
  GroupFunctions functions_;
  Groups groups_;
};

class GroupByWindowNode final : public DatasetNode {
 public:
  GroupByWindowNode(NodePtr input, GroupFunctions functions)
      : DatasetNode("GroupByWindow", {std::move(input)}, NodeKind::kWholeInput),
        functions_(std::move(functions)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<GroupByWindowNode>(std::move(inputs.front()),
                                               functions_);
  }
  SpecStructure MakeSpec() const override {
    std::optional<Structure> first = PeekAtFirst(input());
    if (!first.has_value()) {
      throw InvalidArgument(
          "[GroupByWindow] the input has no element to call the function with, "
          "so the spec is unknown");
    }
    const int64_t key = KeyOf(functions_, *first);
    return Reduce(functions_, key, {*std::move(first)}, inputs().front())
        ->element_spec();
  }
  int64_t CountElements() const override {
    return input().cardinality() == 0 ? 0 : kUnknownCardinality;
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<GroupByWindowReader>(inputs().front(), pass,
                                                 functions_);
  }

 private:
  GroupFunctions functions_;
};

}  // namespace

NodePtr MakeGroupByWindow(NodePtr input, GroupFunctions functions) {
  if (!functions.key || !functions.reduce || !functions.window_size) {
    throw InvalidArgument("[GroupByWindow] a function is missing");
  }
  return std::make_shared<GroupByWindowNode>(std::move(input),
                                             std::move(functions));
}

}  // namespace lockstep::data_internal
