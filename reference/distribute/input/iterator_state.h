// Where an iterator is, for a checkpoint: after a restore it gives what it would
// have given next, in this process or another.
//
//   auto iterator = std::make_shared<DistributedIterator>(inputs.MakeIterator());
//   IteratorState state(iterator);
//   Checkpoint checkpoint({{"iterator", &state}, ...});
//
// As tf.train.Checkpoint(iterator=...), for plain iterators, not for those of a
// strategy: a training under one keeps its place by InputPlace. A restore begins
// the pass again and reads up to the place.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_ITERATOR_STATE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_ITERATOR_STATE_H_

#include <memory>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {

class IteratorState : public Trackable {
 public:
  // Errors: InvalidArgument while a strategy is in force.
  explicit IteratorState(std::shared_ptr<DistributedIterator> iterator);

  // One string. Errors of restoring it: DataLoss for what no version wrote;
  // InvalidArgument for a place in other data.
  std::vector<Value> values() override;

 private:
  std::shared_ptr<DistributedIterator> iterator_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_ITERATOR_STATE_H_
