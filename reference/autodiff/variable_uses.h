// Records which variables a step used, for graphs of the step.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_USES_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_USES_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "reference/autodiff/variable.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// The kinds of use that variables report to VariableUses.
enum class VariableUse { kRead, kChanged };

namespace autodiff_internal {

// `value` is the variable's memory before the change. Errors:
// FailedPrecondition if a graph cannot contain the use.
void NoteVariableUse(const LocalVariable& variable, const Tensor& value,
                     VariableUse use);

// Errors: FailedPrecondition while the calling thread captures.
void CheckMayMakeVariable(const std::string& name);

}  // namespace autodiff_internal

// The variables that a step read and changed, and their addresses, which must
// be the same when its graph is launched again.
//
//   VariableUses uses;
//   {
//     VariableUses::Scope scope(uses);      // on any thread, or on several
//     w->AssignAdd(delta);
//   }
//   uses.Moved();                           // "w" once w has moved
//
// A thread that captures (PrivateMemory) in a scope must neither make a
// variable nor use one in the host's memory: FailedPrecondition.
class VariableUses {
 public:
  class Scope {
   public:
    explicit Scope(VariableUses& uses);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    VariableUses* previous_;
  };

  // Thread-safe; LocalVariable calls it, before the change.
  void Note(const LocalVariable& variable, const Tensor& value,
            VariableUse use);

  // REQUIRES of all below: no other thread uses the variables.
  //
  // Gives every changed variable unshared memory: existing holders keep the old
  // buffer, and the variable moves.
  void Unshare() const;
  // The name of a variable that has moved since its first use or was destroyed;
  // nullopt if there is none.
  std::optional<std::string> Moved() const;
  // Restores the values of moved variables from their first addresses, after a
  // discarded capture, which moved them without writing their values. REQUIRES:
  // that memory has not been reused.
  void BringBack() const;

 private:
  struct Use {
    std::weak_ptr<LocalVariable> variable;
    std::string name;
    void* address;
    Device* device;
    bool changed = false;
  };

  mutable std::mutex mutex_;
  std::map<const LocalVariable*, Use> uses_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_USES_H_
