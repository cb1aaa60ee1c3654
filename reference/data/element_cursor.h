// Lets range-for walk anything with `bool Next(Element*)`.
#ifndef LOCKSTEP_REFERENCE_DATA_ELEMENT_CURSOR_H_
#define LOCKSTEP_REFERENCE_DATA_ELEMENT_CURSOR_H_

#include <utility>

namespace lockstep {

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

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_ELEMENT_CURSOR_H_
