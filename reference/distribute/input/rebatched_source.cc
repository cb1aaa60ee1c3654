#include "reference/distribute/input/rebatched_source.h"

#include <span>
#include <utility>
#include <vector>

#include "reference/data/prefetch_stream.h"
#include "reference/distribute/input/delivered_steps.h"
#include "reference/distribute/input/sub_batch.h"

namespace lockstep::distribute_internal {
namespace {

using data_internal::PrefetchStream;
using data_internal::Stream;
using data_internal::StreamPtr;

class RebatchedStream final : public Stream<Step> {
 public:
  RebatchedStream(StreamPtr<Structure> batches, const Placement& placement)
      : batches_(std::move(batches)), placement_(placement) {}

  int64_t Next(std::span<Step> out) override {
    Structure batch;
    if (batches_->Next({&batch, 1}) == 0) return 0;
    out.front() = Divide(std::move(batch));
    return 1;
  }

 private:
  Step Divide(Structure batch) const {
    const int replicas = placement_.replicas();
    std::vector<Structure> parts;
    parts.reserve(replicas);
    if (replicas == 1) {
      parts.push_back(placement_.Place(std::move(batch), 0));
      return Step(std::move(parts));
    }
    for (int replica = 0; replica < replicas; ++replica) {
      parts.push_back(
          placement_.Place(SubBatch(batch, replicas, replica), replica));
    }
    return Step(std::move(parts));
  }

  StreamPtr<Structure> batches_;
  Placement placement_;
};

class RebatchedSource final : public StepSource {
 public:
  RebatchedSource(const Dataset& dataset, Placement placement)
      : dataset_(dataset), placement_(std::move(placement)) {}

  PerReplica<SpecStructure> element_spec() const override {
    const int replicas = placement_.replicas();
    SpecStructure spec = dataset_.element_spec();
    if (replicas > 1) spec = SubBatchSpec(spec, replicas);
    return PerReplica<SpecStructure>(
        std::vector<SpecStructure>(replicas, spec));
  }

  int64_t cardinality() const override { return dataset_.cardinality(); }

  StreamPtr<Step> Open() const override {
    auto steps = std::make_unique<RebatchedStream>(
        dataset_.node()->OpenElements(), placement_);
    if (dataset_.node()->is_light() && placement_.is_light()) return steps;
    if (placement_.copies()) return DeliverSteps(std::move(steps), placement_);
    return std::make_unique<PrefetchStream<Step>>(std::move(steps),
                                                  placement_.replicas());
  }

 private:
  Dataset dataset_;
  Placement placement_;
};

}  // namespace

StepSourcePtr MakeRebatchedSource(const Dataset& dataset, Placement placement) {
  return std::make_shared<RebatchedSource>(dataset, std::move(placement));
}

}  // namespace lockstep::distribute_internal
