// The position of an iterator, for a checkpoint: after a restore, in this
// process or another, the iterator continues from there.
//
//   auto iterator = std::make_shared<DistributedIterator>(inputs.MakeIterator());
//   IteratorState state(iterator);
//   Checkpoint checkpoint({{"iterator", &state}, ...});
//
// As tf.train.Checkpoint(iterator=...), for iterators without a strategy. Under
// a strategy, use InputPlace.
//
// The state is a few numbers and the names of the pipeline's operations. A
// restore begins the pass again and reads up to the position: it costs what
// reading so far has cost, with the functions of the program, and nothing on
// disk. It is exact if these functions give the same again: a shuffle without a
// seed in a function of FlatMap does not.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_ITERATOR_STATE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_ITERATOR_STATE_H_

#include <memory>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {

class IteratorState : public Trackable {
 public:
  // Errors: InvalidArgument in the scope of a strategy.
  explicit IteratorState(std::shared_ptr<DistributedIterator> iterator);

  // One string. Errors of saving it: FailedPrecondition for a pipeline with a
  // generator, or with calls that are not deterministic, whose next pass may
  // differ. Errors of restoring it: DataLoss for a malformed one;
  // InvalidArgument for other operations, or a position in other data.
  std::vector<Value> values() override;

 private:
  std::shared_ptr<DistributedIterator> iterator_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_ITERATOR_STATE_H_
