#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/transformations/probe_spec.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

class MapReader final : public Reader<Structure> {
 public:
  MapReader(ReaderPtr<Structure> input, MapFunction function,
            std::optional<SpecStructure> output_spec)
      : input_(std::move(input)),
        function_(std::move(function)),
        output_spec_(std::move(output_spec)) {}

  int64_t Next(std::span<Structure> out) override {
    Structure element;
    if (input_->Next({&element, 1}) == 0) return 0;
    Structure result = ElementOf(function_, element);
    if (output_spec_.has_value()) CheckElement("Map", *output_spec_, result);
    out.front() = std::move(result);
    return 1;
  }

 private:
  ReaderPtr<Structure> input_;
  MapFunction function_;
  std::optional<SpecStructure> output_spec_;
};

class MapNode final : public DatasetNode {
 public:
  MapNode(NodePtr input, MapFunction function,
          std::optional<SpecStructure> output_spec)
      : DatasetNode("Map", {std::move(input)}, NodeKind::kMap),
        function_(std::move(function)),
        output_spec_(std::move(output_spec)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<MapNode>(std::move(inputs.front()), function_,
                                     output_spec_);
  }
  SpecStructure MakeSpec() const override {
    if (output_spec_.has_value()) return *output_spec_;
    return ProbeSpec(
        "Map",
        [this](const Structure& zeros) {
          return SpecOfElement(ElementOf(function_, zeros));
        },
        input().element_spec());
  }
  bool DeclaresSpec() const override { return output_spec_.has_value(); }
  int64_t CountElements() const override { return input().cardinality(); }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<MapReader>(input().OpenElements(pass), function_,
                                       output_spec_);
  }

 private:
  MapFunction function_;
  std::optional<SpecStructure> output_spec_;
};

}  // namespace

NodePtr MakeMap(NodePtr input, MapFunction function,
                std::optional<SpecStructure> output_spec) {
  if (!function) throw InvalidArgument("[Map] there is no function");
  return std::make_shared<MapNode>(std::move(input), std::move(function),
                                   std::move(output_spec));
}

namespace {

class FilterReader final : public Reader<Structure> {
 public:
  FilterReader(ReaderPtr<Structure> input, FilterFunction predicate)
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

  ReaderPtr<Structure> input_;
  FilterFunction predicate_;
};

class FilterNode final : public DatasetNode {
 public:
  FilterNode(NodePtr input, FilterFunction predicate)
      : DatasetNode("Filter", {std::move(input)}),
        predicate_(std::move(predicate)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<FilterNode>(std::move(inputs.front()), predicate_);
  }
  SpecStructure MakeSpec() const override { return input().element_spec(); }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override { return kUnknownCardinality; }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<FilterReader>(input().OpenElements(pass),
                                          predicate_);
  }

 private:
  FilterFunction predicate_;
};

}  // namespace

NodePtr MakeFilter(NodePtr input, FilterFunction predicate) {
  if (!predicate) throw InvalidArgument("[Filter] there is no function");
  return std::make_shared<FilterNode>(std::move(input), std::move(predicate));
}

}  // namespace lockstep::data_internal
