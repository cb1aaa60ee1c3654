#include <memory>
#include <optional>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/transformations/probe_spec.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

ScanStep Call(const ScanFunction& function, const Structure& state,
              const Structure& element) {
  const HostScope scope;
  ScanStep step = function(state, element);
  return {.state = ToHost(std::move(step.state)),
          .output = ToHost(std::move(step.output))};
}

// Dimensions of the state may change, as those of a list that grows.
void CheckState(const Structure& before, const Structure& after) {
  const SpecStructure wanted = SpecOfElement(before);
  bool fits = wanted.SameFormAs(after);
  if (fits) {
    const std::vector<TensorSpec> leaves = wanted.Flatten();
    size_t next = 0;
    after.ForEach([&](const Tensor& leaf) {
      fits = leaf.defined() && leaf.dtype() == leaves[next++].dtype && fits;
    });
  }
  if (fits) return;
  throw InvalidArgument(
      "[Scan] the function returned a state {}, wanted the form and types of "
      "the initial one, {}",
      DescribeSpec(SpecOfElement(after)), DescribeSpec(wanted));
}

class ScanReader final : public Reader<Structure> {
 public:
  ScanReader(ReaderPtr<Structure> input, Structure state, ScanFunction function,
             std::optional<SpecStructure> output_spec)
      : input_(std::move(input)),
        state_(std::move(state)),
        function_(std::move(function)),
        output_spec_(std::move(output_spec)) {}

  // An error leaves the state as it was.
  int64_t Next(std::span<Structure> out) override {
    Structure element;
    if (input_->Next({&element, 1}) == 0) return 0;
    ScanStep step = Call(function_, state_, element);
    CheckState(state_, step.state);
    if (output_spec_) CheckElement("Scan", *output_spec_, step.output);
    state_ = std::move(step.state);
    out.front() = std::move(step.output);
    return 1;
  }

 private:
  ReaderPtr<Structure> input_;
  Structure state_;
  ScanFunction function_;
  std::optional<SpecStructure> output_spec_;
};

class ScanNode final : public DatasetNode {
 public:
  ScanNode(NodePtr input, Structure initial_state, ScanFunction function,
           std::optional<SpecStructure> output_spec)
      : DatasetNode("Scan", {std::move(input)}, NodeKind::kWholeInput),
        initial_state_(std::move(initial_state)),
        function_(std::move(function)),
        output_spec_(std::move(output_spec)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ScanNode>(std::move(inputs.front()), initial_state_,
                                      function_, output_spec_);
  }
  // Two steps show which dimensions grow with the state.
  SpecStructure MakeSpec() const override {
    if (output_spec_.has_value()) return *output_spec_;
    return ProbeSpec(
        "Scan",
        [this](const Structure& zeros) {
          const ScanStep first = Call(function_, initial_state_, zeros);
          const ScanStep second = Call(function_, first.state, zeros);
          return MergeSpecs("Scan", SpecOfElement(first.output),
                            SpecOfElement(second.output));
        },
        input().element_spec());
  }
  bool DeclaresSpec() const override { return output_spec_.has_value(); }
  int64_t CountElements() const override { return input().cardinality(); }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<ScanReader>(
        input().OpenElements(pass), initial_state_, function_, output_spec_);
  }

 private:
  Structure initial_state_;
  ScanFunction function_;
  std::optional<SpecStructure> output_spec_;
};

}  // namespace

NodePtr MakeScan(NodePtr input, const Structure& initial_state,
                 ScanFunction function,
                 std::optional<SpecStructure> output_spec) {
  if (!function) throw InvalidArgument("[Scan] there is no function");
  return std::make_shared<ScanNode>(std::move(input), ToHost(initial_state),
                                    std::move(function),
                                    std::move(output_spec));
}

}  // namespace lockstep::data_internal
