// Objects that a checkpoint can find: the nodes of TensorFlow's object graph.
//
// An object names its children when it creates them:
//
//   class Dense : public Layer { ...
//     void Build(...) {
//       kernel_ = MakeVariable(...);
//       TrackChild("kernel", *kernel_);
//     }
//
// A checkpoint follows the names from its root and stores values under
// "<path>/.ATTRIBUTES/<attribute>". A child that is created after a restore (by
// a layer built on its first call) gets its value when it is tracked.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

class JointValues;
class Trackable;

// A restore that waits for children that are tracked later.
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
    std::string full_name;  // the variable's name, for error messages
    TensorSpec spec;
    std::function<Tensor()> save;
    std::function<void(const Tensor&)> restore;
    // Only stored by checkpoints that keep each replica's own values.
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

  // Children in the order of tracking. Names are unique; objects need not be (a
  // variable can have several paths).
  const std::vector<Child>& children() const { return children_; }
  virtual std::vector<Value> values() { return {}; }
  virtual std::vector<Slot> slots() { return {}; }
  // This object as one whose values are restored together (joint_values.h), or
  // nullptr.
  virtual JointValues* joint_values() { return nullptr; }

  // Adds a child. REQUIRES: `child` outlives this object. Errors:
  // InvalidArgument if another child has the name.
  void TrackChild(const std::string& name, Trackable& child);

  // Adds a restore that waits for children of this object.
  void AddPendingRestore(std::shared_ptr<PendingRestore> restore);

 private:
  std::vector<Child> children_;
  std::vector<std::shared_ptr<PendingRestore>> pending_restores_;
};

// A checkpoint node for a list: its children are named "0", "1", ...
//
//   TrackableList variables;
//   variables.Append(*kernel);                      // "0"
//   TrackChild("_trainable_variables", variables);
class TrackableList : public Trackable {
 public:
  // REQUIRES: `item` outlives the list.
  void Append(Trackable& item) {
    TrackChild(std::to_string(children().size()), item);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_TRACKABLE_H_
