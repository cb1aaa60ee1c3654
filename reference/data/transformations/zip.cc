#include "reference/data/transformations/zip.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::data_internal {
namespace {

class ZipStream final : public Stream<Structure> {
 public:
  explicit ZipStream(std::vector<StreamPtr<Structure>> inputs)
      : inputs_(std::move(inputs)) {}

  int64_t Next(std::span<Structure> out) override {
    if (at_end_) return 0;
    std::vector<Structure> items(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i]->Next({&items[i], 1}) == 0) {
        at_end_ = true;
        return 0;
      }
    }
    out.front() = Structure::Tuple(std::move(items));
    return 1;
  }

 private:
  std::vector<StreamPtr<Structure>> inputs_;
  bool at_end_ = false;
};

class ZipNode final : public DatasetNode {
 public:
  explicit ZipNode(std::vector<NodePtr> inputs) : inputs_(std::move(inputs)) {}

  SpecStructure element_spec() const override {
    std::vector<SpecStructure> specs;
    for (const NodePtr& input : inputs_) specs.push_back(input->element_spec());
    return SpecStructure::Tuple(std::move(specs));
  }
  bool spec_is_declared() const override {
    return std::ranges::all_of(inputs_, [](const NodePtr& input) {
      return input->spec_is_declared();
    });
  }
  int64_t cardinality() const override {
    int64_t shortest = kInfiniteCardinality;
    for (const NodePtr& input : inputs_) {
      const int64_t length = input->cardinality();
      if (length == kUnknownCardinality) return length;
      if (length == kInfiniteCardinality) continue;
      shortest = shortest < 0 ? length : std::min(shortest, length);
    }
    return shortest;
  }
  bool is_light() const override {
    return std::ranges::all_of(
        inputs_, [](const NodePtr& input) { return input->is_light(); });
  }
  StreamPtr<Structure> OpenElements() const override {
    std::vector<StreamPtr<Structure>> streams;
    for (const NodePtr& input : inputs_) {
      streams.push_back(input->OpenElements());
    }
    return std::make_unique<ZipStream>(std::move(streams));
  }

 private:
  std::vector<NodePtr> inputs_;
};

}  // namespace

NodePtr MakeZip(std::vector<NodePtr> inputs) {
  if (inputs.empty()) throw InvalidArgument("[Zip] there are no datasets");
  return std::make_shared<ZipNode>(std::move(inputs));
}

}  // namespace lockstep::data_internal
