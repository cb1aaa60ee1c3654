// Which variables a step used, for graphs of the step.
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

// What variables tell of their use; VariableUses wants to know.
enum class VariableUse { kRead, kChanged };

namespace autodiff_internal {

// `value` is where the variable lies before it is changed.
// Errors: FailedPrecondition where a graph can have no part in it.
void NoteVariableUse(const LocalVariable& variable, const Tensor& value,
                     VariableUse use);

// Errors: FailedPrecondition while the calling thread captures.
void CheckMayMakeVariable(const std::string& name);

}  // namespace autodiff_internal

// Which variables a step read and changed, and where they lay then: what must
// still be so when its graph is launched again.
//
//   VariableUses uses;
//   {
//     VariableUses::Scope scope(uses);      // on any thread, or on several
//     w->AssignAdd(delta);
//   }
//   uses.Moved();                           // "w" once w lies elsewhere
//
// Where the scope's thread captures (PrivateMemory), it may neither make a
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
  // Makes the memory of every variable that was changed its own: existing
  // holders keep the old buffer, and the variable moves.
  void Unshare() const;
  // The name of one that no longer lies where it did when it was first used, or
  // is gone; nullopt where none is.
  std::optional<std::string> Moved() const;
  // Gives those that lie elsewhere the value from where they lay first: a
  // capture that was thrown away moved them and wrote nothing there.
  // REQUIRES: that memory has not been handed out since.
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
