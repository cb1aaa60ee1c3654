#include "reference/distribute/input/step_sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/data/prefetch_reader.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/rebatch.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/data/sharding/explain_sharding.h"
#include "reference/distribute/input/delivery.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::distribute_internal {

SpecStructure WithUnknownRows(const SpecStructure& spec) {
  return spec.Map<TensorSpec>([](const TensorSpec& leaf) {
    if (leaf.shape.rank() == 0) return leaf;
    return TensorSpec{leaf.shape.WithDim(0, kUnknownDim), leaf.dtype};
  });
}

int64_t Longest(std::span<const int64_t> cardinalities) {
  int64_t longest = 0;
  for (const int64_t length : cardinalities) {
    if (length == kInfiniteCardinality) return length;
    const bool unknown =
        longest == kUnknownCardinality || length == kUnknownCardinality;
    longest = unknown ? kUnknownCardinality : std::max(longest, length);
  }
  return longest;
}

namespace {

using data_internal::NodePtr;
using data_internal::Reader;
using data_internal::ReaderPtr;

class CollectedReader final : public Reader<Step> {
 public:
  CollectedReader(std::vector<ReaderPtr<Structure>> inputs,
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
    Reader<Structure>& input = *inputs_[inputs_.size() == 1 ? 0 : replica];
    if (input.Next({&element, 1}) == 0) return std::nullopt;
    return element;
  }

  // The element of a replica that has none; made only if it is needed.
  static Structure EmptyPart(
      const std::vector<std::optional<Structure>>& elements,
      const Structure& example) {
    const bool all =
        std::ranges::all_of(elements, [](const auto& e) { return !!e; });
    return all ? Structure() : data_internal::EmptyLike(example);
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

  // A dataset for a GPU runs on the host.
  Structure Placed(Structure element, int replica) const {
    if (!run_on_device_) {
      placement_.Place(element, replica);
      return element;
    }
    return element.Map<Tensor>([&](const Tensor& leaf) {
      return leaf.To(placement_.device(replica));
    });
  }

  std::vector<ReaderPtr<Structure>> inputs_;
  Placement placement_;
  bool run_on_device_;
};

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
    std::vector<int64_t> lengths;
    for (const Dataset& dataset : datasets_) {
      lengths.push_back(dataset.cardinality());
    }
    const int64_t longest = Longest(lengths);
    if (longest < 0 || datasets_.size() > 1) return longest;
    return data_internal::BatchedCardinality(longest, placement_.replicas(),
                                             /*drop_remainder=*/false);
  }

  ReaderPtr<Step> Open() const override {
    std::vector<ReaderPtr<Structure>> inputs;
    for (const Dataset& dataset : datasets_) {
      inputs.push_back(data_internal::OpenPass(*dataset.node()));
    }
    auto steps = std::make_unique<CollectedReader>(std::move(inputs),
                                                   placement_, run_on_device_);
    if (placement_.copies()) return DeliverSteps(std::move(steps), placement_);
    return steps;
  }

  std::vector<NodePtr> pipelines() const override {
    std::vector<NodePtr> nodes;
    for (const Dataset& dataset : datasets_) nodes.push_back(dataset.node());
    return nodes;
  }

  // Nothing is sharded or divided.
  std::string Explain() const override {
    if (datasets_.size() == 1) {
      return fmt::format(
                 "of a function: each element goes whole to the next of {} "
                 "replicas\n",
                 placement_.replicas()) +
             DescribeTree(*datasets_.front().node());
    }
    std::string text = "of a function: a dataset for each replica";
    for (size_t replica = 0; replica < datasets_.size(); ++replica) {
      text += fmt::format("\nreplica {}:\n", replica) +
              DescribeTree(*datasets_[replica].node());
    }
    return text;
  }

 private:
  // Whether a replica may get an element without rows.
  bool MayBePartial() const {
    return placement_.replicas() > 1 &&
           std::ranges::any_of(datasets_, [](const Dataset& dataset) {
             return dataset.cardinality() != kInfiniteCardinality;
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

namespace {

using data_internal::PrefetchReader;

class RebatchedReader final : public Reader<Step> {
 public:
  RebatchedReader(ReaderPtr<Structure> parts, const Placement& placement)
      : parts_(std::move(parts)), placement_(placement) {}

  int64_t Next(std::span<Step> out) override {
    const int replicas = placement_.replicas();
    std::vector<Structure> parts(replicas);
    const int64_t read =
        data_internal::ReadFully(*parts_, std::span<Structure>(parts));
    if (read == 0) return 0;
    LOCKSTEP_CHECK(read == replicas);
    for (int replica = 0; replica < replicas; ++replica) {
      placement_.Place(parts[replica], replica);
    }
    out.front() = Step(std::move(parts));
    return 1;
  }

 private:
  ReaderPtr<Structure> parts_;
  Placement placement_;
};

class RebatchedSource final : public StepSource {
 public:
  RebatchedSource(const Dataset& dataset, const InputShard& shard,
                  Placement placement)
      : dataset_(dataset),
        shard_(shard),
        parts_(AutoShard(dataset, shard)),
        placement_(std::move(placement)),
        sharding_(DescribeSharding(dataset, shard)) {
    // Finding the spec may call functions of the program: only when asked for.
    if (dataset_.node()->spec_is_declared()) element_spec();
  }

  PerReplica<SpecStructure> element_spec() const override {
    return PerReplica<SpecStructure>(std::vector<SpecStructure>(
        placement_.replicas(), parts_.element_spec()));
  }

  int64_t cardinality() const override {
    // The number of parts may overflow int64.
    const int64_t parts = parts_.cardinality();
    return parts < 0 ? dataset_.cardinality() : parts / placement_.replicas();
  }
  Sharding sharding() const override { return sharding_; }

  ReaderPtr<Step> Open() const override {
    auto steps = std::make_unique<RebatchedReader>(
        data_internal::OpenPass(*parts_.node()), placement_);
    if (dataset_.node()->is_light() && placement_.is_light()) return steps;
    if (placement_.copies()) return DeliverSteps(std::move(steps), placement_);
    return std::make_unique<PrefetchReader<Step>>(std::move(steps),
                                                  placement_.replicas());
  }

  std::vector<NodePtr> pipelines() const override { return {parts_.node()}; }
  std::vector<NodePtr> datasets() const override { return {dataset_.node()}; }
  std::string Explain() const override {
    return ExplainSharding(dataset_, parts_, shard_);
  }

 private:
  Dataset dataset_;
  InputShard shard_;
  Dataset parts_;
  Placement placement_;
  Sharding sharding_;
};

}  // namespace

StepSourcePtr MakeRebatchedSource(const Dataset& dataset,
                                  const InputShard& shard,
                                  Placement placement) {
  return std::make_shared<RebatchedSource>(dataset, shard,
                                           std::move(placement));
}

}  // namespace lockstep::distribute_internal
