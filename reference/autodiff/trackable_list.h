// A checkpoint node for a list: its parts are named "0", "1", ...
//
//   TrackableList variables;
//   variables.Append(*kernel);                      // "0"
//   TrackChild("_trainable_variables", variables);
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_LIST_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_LIST_H_

#include <string>

#include "reference/autodiff/trackable.h"

namespace lockstep {

class TrackableList : public Trackable {
 public:
  // REQUIRES: `item` lives as long as the list.
  void Append(Trackable& item) {
    TrackChild(std::to_string(children().size()), item);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_LIST_H_
