// An object whose values are restored together, because not every list of them is
// a state: of the words of a vocabulary, none may be there twice.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_JOINT_VALUES_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_JOINT_VALUES_H_

#include <functional>
#include <map>
#include <string>

#include "reference/tensor/tensor.h"

namespace lockstep {

// For a Trackable with values(), which returns itself as joint_values(). A
// restore calls this instead of each value's own `restore`.
class JointValues {
 public:
  virtual ~JointValues() = default;

  // Checks the stored values, by their attributes, and returns what assigns
  // them. Called before a restore assigns the first value of any object.
  // REQUIRES: types and shapes fit those of values(). Errors: of the object.
  virtual std::function<void()> PrepareRestore(
      const std::map<std::string, Tensor>& stored) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_JOINT_VALUES_H_
