#include "reference/distribute/input/distributed_iterator.h"

#include <utility>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"

namespace lockstep {

DistributedIterator::DistributedIterator(
    distribute_internal::StepSourcePtr source)
    : source_(std::move(source)), steps_(source_->Open()) {}

bool DistributedIterator::Next(Element* step) {
  const DistributionContext& context = DistributionContext::Current();
  if (context.has_strategy() && !context.in_cross_replica_context()) {
    throw FailedPrecondition(
        "[GetNext] next(iterator) should be called from outside of replica_fn; "
        "the replicas get what it returns as an argument");
  }
  return steps_->Next({step, 1}) == 1;
}

DistributedIterator::Element DistributedIterator::GetNext() {
  Element step;
  if (!Next(&step)) throw OutOfRange("[GetNext] End of sequence");
  return step;
}

Optional<DistributedIterator::Element>
DistributedIterator::GetNextAsOptional() {
  Element step;
  if (!Next(&step)) return {};
  return Optional<Element>(std::move(step));
}

}  // namespace lockstep
