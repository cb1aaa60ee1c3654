// One pass over a distributed dataset.
//
//   DistributedIterator iterator = inputs.MakeIterator();
//   iterator.GetNext();             // PerReplica, or throws OutOfRange
//   iterator.GetNextAsOptional();   // without a value at the end, every time
//
// An error in the input surfaces at the step that reads it; the next call goes
// on behind. The iterator may be destroyed in the middle of a pass.
//
// For GPUs the input runs on a thread of its own, which makes and copies the
// step behind the one that was handed out while the GPUs compute.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_ITERATOR_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_ITERATOR_H_

#include "reference/data/optional.h"
#include "reference/data/stream.h"
#include "reference/distribute/input/step_source.h"
#include "reference/distribute/per_replica.h"

namespace lockstep {

class DistributedIterator {
 public:
  using Element = PerReplica<Structure>;

  explicit DistributedIterator(distribute_internal::StepSourcePtr source);

  // False at the end, `step` is then as before. Errors, here and below:
  // FailedPrecondition inside a function that a strategy runs on its replicas.
  bool Next(Element* step);
  // Errors: OutOfRange at the end.
  Element GetNext();
  Optional<Element> GetNextAsOptional();

  // As the dataset's.
  PerReplica<SpecStructure> element_spec() const {
    return source_->element_spec();
  }

 private:
  distribute_internal::StepSourcePtr source_;
  data_internal::StreamPtr<Element> steps_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_ITERATOR_H_
