// What a ServerObject holds: a coordinator, a function that workers run, a
// remote value.
//
//   return MakeServerObject(strategy.Function(name, body));
//   const WorkerFunction& function = HeldObject<WorkerFunction>(call, "function");
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_SERVER_OBJECT_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_SERVER_OBJECT_H_

#include <memory>
#include <string>
#include <utility>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/value.h"

namespace lockstep::conformance {

template <typename T>
class ServerObjectOf : public ServerObject {
 public:
  explicit ServerObjectOf(T held) : held_(std::move(held)) {}
  T& held() { return held_; }

 private:
  T held_;
};

template <typename T>
Value MakeServerObject(T held) {
  return std::shared_ptr<ServerObject>(
      std::make_shared<ServerObjectOf<T>>(std::move(held)));
}

// What the value holds; nullptr if it is of another type.
template <typename T>
T* FindObject(const Value& value) {
  const auto* object = std::get_if<std::shared_ptr<ServerObject>>(&value);
  if (!object) return nullptr;
  auto* found = dynamic_cast<ServerObjectOf<T>*>(object->get());
  return found ? &found->held() : nullptr;
}

// The same for a name of a step, which must have one. A copy, because the
// environment may bind the name again.
template <typename T>
T HeldObject(const StepCall& call, const char* argument) {
  const Value value = call.Find(argument);
  T* found = FindObject<T>(value);
  if (!found) {
    throw ProgramError(std::string("'") + argument +
                       "' is a value of another type");
  }
  return *found;
}

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_SERVER_OBJECT_H_
