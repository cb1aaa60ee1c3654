#include "reference/distribute/input/collected_source.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "reference/base/check.h"
#include "reference/distribute/input/delivered_steps.h"
#include "reference/distribute/input/sub_batch.h"

namespace lockstep::distribute_internal {
namespace {

using data_internal::Stream;
using data_internal::StreamPtr;

class CollectedStream final : public Stream<Step> {
 public:
  CollectedStream(std::vector<StreamPtr<Structure>> inputs,
                  const Placement& placement, bool run_on_device)
      : inputs_(std::move(inputs)),
        placement_(placement),
        run_on_device_(run_on_device) {}

  int64_t Next(std::span<Step> out) override {
    std::vector<std::optional<Structure>> elements(placement_.replicas());
    for (int replica = 0; replica < placement_.replicas(); ++replica) {
      elements[replica] = Read(replica);
    }
    const auto example =
        std::ranges::find_if(elements, [](const auto& e) { return !!e; });
    if (example == elements.end()) return 0;
    out.front() = Complete(elements, EmptyPart(elements, **example));
    return 1;
  }

 private:
  std::optional<Structure> Read(int replica) {
    std::optional<DeviceScope> scope;
    if (run_on_device_) scope.emplace(placement_.device(replica));
    Structure element;
    Stream<Structure>& input = *inputs_[inputs_.size() == 1 ? 0 : replica];
    if (input.Next({&element, 1}) == 0) return std::nullopt;
    return element;
  }

  // What a replica without an element gets; not made when there is none.
  static Structure EmptyPart(
      const std::vector<std::optional<Structure>>& elements,
      const Structure& example) {
    const bool all =
        std::ranges::all_of(elements, [](const auto& e) { return !!e; });
    return all ? Structure() : EmptyLike(example);
  }

  Step Complete(std::vector<std::optional<Structure>>& elements,
                const Structure& empty) const {
    std::vector<Structure> parts;
    for (int replica = 0; replica < placement_.replicas(); ++replica) {
      std::optional<Structure>& element = elements[replica];
      parts.push_back(
          Placed(element.has_value() ? *std::move(element) : empty, replica));
    }
    return Step(std::move(parts));
  }

  // A dataset that runs for a GPU runs on the host.
  Structure Placed(Structure element, int replica) const {
    if (!run_on_device_) return placement_.Place(std::move(element), replica);
    return element.Map<Tensor>([&](const Tensor& leaf) {
      return leaf.To(placement_.device(replica));
    });
  }

  std::vector<StreamPtr<Structure>> inputs_;
  Placement placement_;
  bool run_on_device_;
};

// Steps until the longest is used up.
int64_t Longest(const std::vector<Dataset>& datasets) {
  int64_t longest = 0;
  for (const Dataset& dataset : datasets) {
    const int64_t length = dataset.cardinality();
    if (length == kInfiniteCardinality) return length;
    const bool unknown =
        longest == kUnknownCardinality || length == kUnknownCardinality;
    longest = unknown ? kUnknownCardinality : std::max(longest, length);
  }
  return longest;
}

class CollectedSource final : public StepSource {
 public:
  CollectedSource(std::vector<Dataset> datasets, Placement placement,
                  bool run_on_device)
      : datasets_(std::move(datasets)),
        placement_(std::move(placement)),
        run_on_device_(run_on_device) {}

  PerReplica<SpecStructure> element_spec() const override {
    std::vector<SpecStructure> specs;
    for (int replica = 0; replica < placement_.replicas(); ++replica) {
      const Dataset& dataset = datasets_[datasets_.size() == 1 ? 0 : replica];
      specs.push_back(MayBePartial() ? WithUnknownRows(dataset.element_spec())
                                     : dataset.element_spec());
    }
    return PerReplica<SpecStructure>(std::move(specs));
  }

  int64_t cardinality() const override {
    const int64_t longest = Longest(datasets_);
    if (longest < 0 || datasets_.size() > 1) return longest;
    return data_internal::BatchedCardinality(longest, placement_.replicas(),
                                             /*drop_remainder=*/false);
  }

  StreamPtr<Step> Open() const override {
    std::vector<StreamPtr<Structure>> inputs;
    for (const Dataset& dataset : datasets_) {
      inputs.push_back(dataset.node()->OpenElements());
    }
    auto steps = std::make_unique<CollectedStream>(std::move(inputs),
                                                   placement_, run_on_device_);
    if (placement_.copies()) return DeliverSteps(std::move(steps), placement_);
    return steps;
  }

 private:
  // Some replica may get an element without rows.
  bool MayBePartial() const {
    return placement_.replicas() > 1 &&
           std::ranges::any_of(datasets_, [](const Dataset& dataset) {
             return dataset.cardinality() != kInfiniteCardinality;
           });
  }

  static SpecStructure WithUnknownRows(const SpecStructure& spec) {
    return spec.Map<TensorSpec>([](const TensorSpec& leaf) {
      if (leaf.shape.rank() == 0) return leaf;
      return TensorSpec{leaf.shape.WithDim(0, kUnknownDim), leaf.dtype};
    });
  }

  std::vector<Dataset> datasets_;
  Placement placement_;
  bool run_on_device_;
};

}  // namespace

StepSourcePtr MakeCollectedSource(std::vector<Dataset> datasets,
                                  Placement placement, bool run_on_device) {
  LOCKSTEP_CHECK(datasets.size() == 1 ||
                 std::ssize(datasets) == placement.replicas());
  return std::make_shared<CollectedSource>(std::move(datasets),
                                           std::move(placement), run_on_device);
}

}  // namespace lockstep::distribute_internal
