#include "reference/data/dataset_iterator.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep {

Structure DatasetIterator::GetNext() {
  Structure element;
  if (!Next(&element)) throw OutOfRange("[GetNext] End of sequence");
  return element;
}

Optional<Structure> DatasetIterator::GetNextAsOptional() {
  Structure element;
  if (!Next(&element)) return {};
  return Optional<Structure>(std::move(element));
}

}  // namespace lockstep
