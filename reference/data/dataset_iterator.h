// One pass over a dataset, and range-for over iterators.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_ITERATOR_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_ITERATOR_H_

#include <utility>

#include "reference/data/optional.h"
#include "reference/data/reader.h"
#include "reference/tensor/nest.h"

namespace lockstep {

// Range-for over any iterator with `bool Next(Element*)`.
struct EndOfElements {};

template <typename Iterator>
class ElementCursor {
 public:
  explicit ElementCursor(Iterator iterator) : iterator_(std::move(iterator)) {
    ++*this;
  }

  const typename Iterator::Element& operator*() const { return element_; }
  ElementCursor& operator++() {
    at_end_ = !iterator_.Next(&element_);
    return *this;
  }
  bool operator==(EndOfElements) const { return at_end_; }

 private:
  Iterator iterator_;
  typename Iterator::Element element_;
  bool at_end_ = false;
};

// One pass over a dataset.
//
//   DatasetIterator iterator = Dataset::Range(2).MakeIterator();
//   iterator.GetNext();   // 0
//   iterator.GetNext();   // 1
//   iterator.GetNext();   // throws OutOfRange, as does every later call
class DatasetIterator {
 public:
  using Element = Structure;

  explicit DatasetIterator(data_internal::ReaderPtr<Structure> reader)
      : reader_(std::move(reader)) {}

  // False at the end, and `element` is unchanged.
  bool Next(Structure* element) { return reader_->Next({element, 1}) == 1; }

  // Errors: OutOfRange at the end.
  Structure GetNext();
  Optional<Structure> GetNextAsOptional();

 private:
  data_internal::ReaderPtr<Structure> reader_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_ITERATOR_H_
