#include "reference/distribute/input/rebatched_source.h"

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "reference/base/log.h"
#include "reference/data/prefetch_stream.h"
#include "reference/distribute/input/delivered_steps.h"
#include "reference/distribute/input/sub_batch.h"

namespace lockstep::distribute_internal {
namespace {

using data_internal::PrefetchStream;
using data_internal::Stream;
using data_internal::StreamPtr;

// Whether a dataset's unequal rows were told of, in any of its passes.
using Told = std::shared_ptr<std::atomic<bool>>;

class RebatchedStream final : public Stream<Step> {
 public:
  RebatchedStream(StreamPtr<Structure> batches, const Placement& placement,
                  Told told)
      : batches_(std::move(batches)),
        placement_(placement),
        told_(std::move(told)) {}

  int64_t Next(std::span<Step> out) override {
    Structure batch;
    if (batches_->Next({&batch, 1}) == 0) return 0;
    out.front() = Divide(std::move(batch));
    return 1;
  }

 private:
  Step Divide(Structure batch) const {
    const int replicas = placement_.replicas();
    CheckBatched(batch);
    std::vector<Structure> parts;
    parts.reserve(replicas);
    if (replicas == 1) {
      parts.push_back(placement_.Place(std::move(batch), 0));
      return Step(std::move(parts));
    }
    TellOfUnequalRows(batch);
    for (int replica = 0; replica < replicas; ++replica) {
      parts.push_back(
          placement_.Place(SubBatch(batch, replicas, replica), replica));
    }
    return Step(std::move(parts));
  }

  void TellOfUnequalRows(const Structure& batch) const {
    const auto unequal = FindUnequalRows(batch);
    if (!unequal || told_->exchange(true)) return;
    LogWarning(
        "[DistributeDataset] parts of an element have {} and {} rows: each is "
        "divided by its own number, so that a replica's rows of one need not "
        "belong to its rows of the other",
        unequal->first, unequal->second);
  }

  StreamPtr<Structure> batches_;
  Placement placement_;
  Told told_;
};

class RebatchedSource final : public StepSource {
 public:
  RebatchedSource(const Dataset& dataset, Placement placement)
      : dataset_(dataset), placement_(std::move(placement)) {
    // Functions of the program are not called before somebody asks.
    if (dataset_.node()->spec_is_declared()) element_spec();
  }

  PerReplica<SpecStructure> element_spec() const override {
    const int replicas = placement_.replicas();
    return PerReplica<SpecStructure>(std::vector<SpecStructure>(
        replicas, SubBatchSpec(dataset_.element_spec(), replicas)));
  }

  int64_t cardinality() const override { return dataset_.cardinality(); }

  StreamPtr<Step> Open() const override {
    auto steps = std::make_unique<RebatchedStream>(
        dataset_.node()->OpenElements(), placement_, told_);
    if (dataset_.node()->is_light() && placement_.is_light()) return steps;
    if (placement_.copies()) return DeliverSteps(std::move(steps), placement_);
    return std::make_unique<PrefetchStream<Step>>(std::move(steps),
                                                  placement_.replicas());
  }

 private:
  Dataset dataset_;
  Placement placement_;
  Told told_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

StepSourcePtr MakeRebatchedSource(const Dataset& dataset, Placement placement) {
  return std::make_shared<RebatchedSource>(dataset, std::move(placement));
}

}  // namespace lockstep::distribute_internal
