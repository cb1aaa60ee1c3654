// One pass over a dataset.
//
//   DatasetIterator iterator = Dataset::Range(2).MakeIterator();
//   iterator.GetNext();   // 0
//   iterator.GetNext();   // 1
//   iterator.GetNext();   // throws OutOfRange, as does every later call
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_ITERATOR_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_ITERATOR_H_

#include "reference/data/element_cursor.h"
#include "reference/data/optional.h"
#include "reference/data/stream.h"
#include "reference/tensor/nest.h"

namespace lockstep {

class DatasetIterator {
 public:
  using Element = Structure;

  explicit DatasetIterator(data_internal::StreamPtr<Structure> stream)
      : stream_(std::move(stream)) {}

  // False at the end, `element` is then as before.
  bool Next(Structure* element) { return stream_->Next({element, 1}) == 1; }

  // Errors: OutOfRange at the end.
  Structure GetNext();
  Optional<Structure> GetNextAsOptional();

 private:
  data_internal::StreamPtr<Structure> stream_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_ITERATOR_H_
