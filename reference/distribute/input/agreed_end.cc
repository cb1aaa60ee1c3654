// How it works. Workers read their own data, and announce to each other once
// per step whether they have some. With 2 steps on worker 0 and 1 on worker 1:
//
//             worker 0                all-gather   worker 1
//   Begin     what is sharded, passes  <------->   what is sharded, passes
//             what is sharded must be the same; worker 0's passes hold
//   1st Next  reads and announces      <------->   reads and announces
//             returns its step                     returns its step
//   2nd Next  reads and announces      <------->   has none, announces nothing
//             returns its step                     returns a step without rows
//   3rd Next  has none                 <------->   has none
//             returns 0: the end                   returns 0: the end
//
// An announcement is the kind of the step, a number, and the step's tensors
// without their rows: type and other dimensions, no data. A worker without a
// step makes an empty one from the first announcement of another, on each of
// its devices.
//
// Reading happens inside the all-gather (WorkerGroup), so an error on one
// worker is thrown on all. All workers see the same announcements and so detect
// the same errors: workers that divide the same batches (kData) must end
// together, and a tensor without a batch axis has no empty form.
#include "reference/distribute/input/agreed_end.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/sharding/same_pass.h"
#include "reference/distribute/input/step_sources.h"

namespace lockstep {
namespace {

using data_internal::Reader;
using data_internal::ReaderPtr;
using distribute_internal::Step;
using distribute_internal::StepSource;
using distribute_internal::StepSourcePtr;

// The form of a step that workers without data need: its leaves without rows.
TensorList WithoutRows(const Step& step) {
  TensorList leaves;
  for (const Tensor& leaf : step[0].Flatten()) {
    leaves.push_back(leaf.rank() == 0 ? leaf : leaf.Slice(0, 0));
  }
  return leaves;
}

// All workers see the same lists, so all of them throw or none.
void CheckHaveRows(const TensorList& leaves) {
  for (const Tensor& leaf : leaves) {
    if (leaf.rank() > 0) continue;
    throw InvalidArgument(
        "[GetNext] a worker has no data left and would get an empty part, but "
        "{} has no batch axis",
        Describe(leaf));
  }
}

// The first value of an announcement, as a step may have no leaves.
enum Announcement : int64_t { kHasStep = 1, kHasPartsOfBatch = 2 };

// Workers that divide the batches of one dataset have parts of each, possibly
// empty ones.
void CheckMayEndFirst(int64_t worker, const TensorList& with) {
  if (with.front().item<int64_t>() != kHasPartsOfBatch) return;
  throw FailedPrecondition(
      "[GetNext] workers that divide the batches of a dataset must all have "
      "the same batches: worker {} has none left, another worker has one; give "
      "all workers the same data, or shard it yourself under "
      "AutoShardPolicy::kOff",
      worker);
}

class AgreedReader final : public Reader<Step> {
 public:
  AgreedReader(StepSourcePtr source, std::shared_ptr<WorkerGroup> workers,
               std::vector<Device*> devices)
      : source_(std::move(source)),
        sharding_(source_->sharding()),
        workers_(std::move(workers)),
        devices_(std::move(devices)) {}

  int64_t Next(std::span<Step> out) override {
    if (!has_begun_) Begin();
    Step step;
    bool mine = false;
    const auto all = workers_->AllGather({.operation = "GetNext"}, [&] {
      if (!steps_) steps_ = source_->Open();
      mine = steps_->Next({&step, 1}) == 1;
      return mine ? Announced(step) : TensorList();
    });
    const auto with = std::ranges::find_if(
        all, [](const TensorList& list) { return !list.empty(); });
    if (with == all.end()) return 0;
    const auto without = std::ranges::find_if(
        all, [](const TensorList& list) { return list.empty(); });
    const TensorList leaves(with->begin() + 1, with->end());
    if (without != all.end()) {
      CheckMayEndFirst(without - all.begin(), *with);
      CheckHaveRows(leaves);
    }
    out.front() = mine ? std::move(step) : EmptyStep(leaves);
    return 1;
  }

 private:
  void Begin() {
    const std::vector<data_internal::NodePtr> pipelines = source_->pipelines();
    const auto all = workers_->AllGather({.operation = "GetNext"}, [&] {
      return data_internal::AnnouncePass(sharding_, pipelines);
    });
    data_internal::TakeSamePass("GetNext", all, sharding_, pipelines);
    has_begun_ = true;
  }

  TensorList Announced(const Step& step) const {
    TensorList list = WithoutRows(step);
    list.insert(list.begin(), Tensor::Scalar<int64_t>(
                                  sharding_.policy == AutoShardPolicy::kData
                                      ? kHasPartsOfBatch
                                      : kHasStep,
                                  Device::Host()));
    return list;
  }

  Step EmptyStep(const TensorList& leaves) const {
    const PerReplica<SpecStructure> spec = source_->element_spec();
    std::vector<Structure> parts;
    for (size_t replica = 0; replica < devices_.size(); ++replica) {
      TensorList placed;
      for (const Tensor& leaf : leaves) {
        placed.push_back(leaf.To(*devices_[replica]));
      }
      parts.push_back(spec[static_cast<int>(replica)].PackLike(placed));
    }
    return Step(std::move(parts));
  }

  StepSourcePtr source_;
  const Sharding sharding_;
  ReaderPtr<Step> steps_;  // of the agreed pass
  std::shared_ptr<WorkerGroup> workers_;
  std::vector<Device*> devices_;
  bool has_begun_ = false;
};

class AgreedSource final : public StepSource {
 public:
  AgreedSource(StepSourcePtr source, std::shared_ptr<WorkerGroup> workers,
               std::vector<Device*> devices)
      : source_(std::move(source)),
        workers_(std::move(workers)),
        devices_(std::move(devices)) {}

  // A part may have no rows, unless the data never end.
  PerReplica<SpecStructure> element_spec() const override {
    if (cardinality() == kInfiniteCardinality) return source_->element_spec();
    return source_->element_spec().Map(distribute_internal::WithUnknownRows);
  }
  int64_t cardinality() const override { return source_->cardinality(); }
  ReaderPtr<Step> Open() const override {
    return std::make_unique<AgreedReader>(source_, workers_, devices_);
  }
  std::vector<data_internal::NodePtr> pipelines() const override {
    return source_->pipelines();
  }
  std::vector<data_internal::NodePtr> datasets() const override {
    return source_->datasets();
  }
  std::string Explain() const override {
    return "all workers have as many steps as the longest; one without data "
           "gets parts without rows\n" +
           source_->Explain();
  }

 private:
  StepSourcePtr source_;
  std::shared_ptr<WorkerGroup> workers_;
  std::vector<Device*> devices_;
};

}  // namespace

DistributedDataset AgreeOnEnd(const DistributedDataset& inputs,
                              std::shared_ptr<WorkerGroup> workers,
                              const std::vector<Device*>& devices) {
  if (!workers) return inputs;
  return DistributedDataset(std::make_shared<AgreedSource>(
      inputs.source(), std::move(workers), devices));
}

}  // namespace lockstep
