// A dataset whose elements are one part for each replica.
//
//   DistributedDataset inputs = DistributeDataset(devices, Dataset::Range(6)
//                                                              .Batch(4));
//   for (const PerReplica<Structure>& step : inputs) ...
//                             // ([0, 1], [2, 3]), then ([4], [5])
//   inputs.cardinality();     // 2 steps
//   inputs.element_spec();    // int64 (None,) for each replica
//
// It is not a Dataset: nothing can be added behind it. Each pass starts anew.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_H_

#include <cstdint>
#include <utility>

#include "reference/data/element_cursor.h"
#include "reference/distribute/input/distributed_iterator.h"
#include "reference/distribute/input/step_source.h"
#include "reference/distribute/per_replica.h"

namespace lockstep {

class DistributedDataset {
 public:
  // Made by DistributeDataset and DistributeDatasetsFromFunction.
  explicit DistributedDataset(distribute_internal::StepSourcePtr source)
      : source_(std::move(source)) {}

  // One spec a replica.
  PerReplica<SpecStructure> element_spec() const {
    return source_->element_spec();
  }
  // Steps of a pass, or kInfiniteCardinality or kUnknownCardinality.
  int64_t cardinality() const { return source_->cardinality(); }

  DistributedIterator MakeIterator() const {
    return DistributedIterator(source_);
  }
  // For range-for; each begin() starts a new pass.
  ElementCursor<DistributedIterator> begin() const {
    return ElementCursor<DistributedIterator>(MakeIterator());
  }
  EndOfElements end() const { return {}; }

 private:
  distribute_internal::StepSourcePtr source_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_H_
