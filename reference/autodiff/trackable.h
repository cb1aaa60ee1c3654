// Objects a checkpoint can find: the nodes of TensorFlow's object graph.
//
// An object names its parts when it gets them:
//
//   class Dense : public Layer { ...
//     void Build(...) {
//       kernel_ = MakeVariable(...);
//       TrackChild("kernel", *kernel_);
//     }
//
// A checkpoint walks the names from its root, and stores values under
// "<path>/.ATTRIBUTES/<attribute>". A part that comes after a restore (a layer
// built on its first call) gets its value the moment it is tracked.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

class Trackable;

// A restore that is not finished: told of every part that is tracked later.
class PendingRestore {
 public:
  virtual ~PendingRestore() = default;
  virtual void OnChildTracked(Trackable& parent, const std::string& name,
                              Trackable& child) = 0;
};

class Trackable {
 public:
  struct Child {
    std::string name;
    Trackable* object;
  };
  // A value of this object itself, e.g. a variable's "VARIABLE_VALUE".
  struct Value {
    std::string attribute;
    std::string full_name;  // the variable's own name, for people
    TensorSpec spec;
    std::function<Tensor()> save;
    std::function<void(const Tensor&)> restore;
    // Only for checkpoints that keep what each replica has for itself.
    bool of_each_replica = false;
  };
  // Optimizer state of one variable: TensorFlow's slot variable references.
  struct Slot {
    Trackable* variable;
    std::string slot_name;
    Trackable* slot_variable;
  };

  Trackable() = default;
  virtual ~Trackable() = default;
  Trackable(const Trackable&) = delete;
  Trackable& operator=(const Trackable&) = delete;

  // Parts in the order they were tracked; names are unique, objects need not
  // be (a variable can be reached by several paths).
  const std::vector<Child>& children() const { return children_; }
  virtual std::vector<Value> values() { return {}; }
  virtual std::vector<Slot> slots() { return {}; }

  // Names a part. REQUIRES: `child` lives as long as this object does.
  // Errors: InvalidArgument for a name that is taken by another object.
  void TrackChild(const std::string& name, Trackable& child);

  // Restores that wait for parts of this object.
  void AddPendingRestore(std::shared_ptr<PendingRestore> restore);

 private:
  std::vector<Child> children_;
  std::vector<std::shared_ptr<PendingRestore>> pending_restores_;
};

// A checkpoint node for a list: its parts are named "0", "1", ...
//
//   TrackableList variables;
//   variables.Append(*kernel);                      // "0"
//   TrackChild("_trainable_variables", variables);
class TrackableList : public Trackable {
 public:
  // REQUIRES: `item` lives as long as the list.
  void Append(Trackable& item) {
    TrackChild(std::to_string(children().size()), item);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_H_
