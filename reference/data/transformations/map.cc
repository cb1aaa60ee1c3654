#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/transformations/parallel_map.h"
#include "reference/data/transformations/parallelism.h"
#include "reference/data/transformations/probe_spec.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

class MapReader final : public Reader<Structure> {
 public:
  MapReader(ReaderPtr<Structure> input, MapFunction function)
      : input_(std::move(input)), function_(std::move(function)) {}

  int64_t Next(std::span<Structure> out) override {
    Structure element;
    if (input_->Next({&element, 1}) == 0) return 0;
    out.front() = function_(element);
    return 1;
  }

 private:
  ReaderPtr<Structure> input_;
  MapFunction function_;
};

// The function with a result in host memory, and of the spec if there is one.
MapFunction Checked(MapFunction function, std::optional<SpecStructure> spec) {
  return [function = std::move(function),
          spec = std::move(spec)](const Structure& element) {
    Structure result = ElementOf(function, element);
    if (spec.has_value()) CheckElement("Map", *spec, result);
    return result;
  };
}

NodeKind KindOf(const MapOptions& options) {
  const bool ordered = options.deterministic || options.num_parallel_calls == 0;
  return ordered ? NodeKind::kMap : NodeKind::kUnordered;
}

class MapNode final : public DatasetNode {
 public:
  MapNode(NodePtr input, MapFunction function, const MapOptions& options)
      : DatasetNode("Map", {std::move(input)}, KindOf(options)),
        function_(std::move(function)),
        options_(options) {}

  std::string arguments() const override {
    return Arguments()
        .AddCalls(options_.num_parallel_calls)
        .Add("deterministic", options_.deterministic, true)
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<MapNode>(std::move(inputs.front()), function_,
                                     options_);
  }
  SpecStructure MakeSpec() const override {
    if (options_.output_spec.has_value()) return *options_.output_spec;
    return ProbeSpec(
        "Map",
        [this](const Structure& zeros) {
          return SpecOfElement(ElementOf(function_, zeros));
        },
        input().element_spec());
  }
  bool DeclaresSpec() const override {
    return options_.output_spec.has_value();
  }
  int64_t CountElements() const override { return input().cardinality(); }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    ReaderPtr<Structure> elements = input().OpenElements(pass);
    MapFunction function = Checked(function_, options_.output_spec);
    if (options_.num_parallel_calls == 0) {
      return std::make_unique<MapReader>(std::move(elements),
                                         std::move(function));
    }
    const int64_t count = input().cardinality();
    const CallLimit limit(options_.num_parallel_calls,
                          count < 0 ? INT64_MAX : std::max<int64_t>(count, 1));
    return MakeParallelMapReader(std::move(elements), std::move(function),
                                 limit, options_.deterministic);
  }

 private:
  MapFunction function_;
  MapOptions options_;
};

}  // namespace

NodePtr MakeMap(NodePtr input, MapFunction function,
                const MapOptions& options) {
  if (!function) throw InvalidArgument("[Map] there is no function");
  CheckParallelCalls("Map", options.num_parallel_calls);
  return std::make_shared<MapNode>(std::move(input), std::move(function),
                                   options);
}

}  // namespace lockstep::data_internal
