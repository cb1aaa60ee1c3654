// One call of a step: its arguments by name and type, and its block.
//
//   Value Batch(const StepCall& call) {
//     return call.Get<Dataset>("of").Batch(call.Integer("size"),
//                                          call.Boolean("drop_remainder"));
//   }
//
// Errors of all: ProgramError for arguments that operations.md does not allow.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_STEP_CALL_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_STEP_CALL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/cases/program.h"
#include "conformance/testees/reference/interpreter.h"
#include "conformance/testees/reference/value.h"

namespace lockstep::conformance {

class StepTable;

class StepCall {
 public:
  // `folder`: for the files of the program.
  StepCall(const Json& step, Environment& environment, const StepTable& table,
           const std::string& folder)
      : step_(step),
        environment_(environment),
        table_(table),
        folder_(folder) {}

  bool Has(const char* argument) const { return step_.contains(argument); }
  const Json& Argument(const char* argument) const;

  // The value of a `name`, which must be a T.
  template <typename T>
  T Get(const char* argument) const {
    return Held<T>(Find(argument), argument);
  }
  Value Find(const char* argument) const {
    return environment_.Find(Text(argument));
  }
  // A `value`, which may differ by replica.
  Value GetValue(const char* argument) const {
    return Resolve(Argument(argument), DType::kFloat32);
  }
  // A `value` that is a single tensor, the same on all replicas.
  Tensor GetTensor(const char* argument,
                   DType literal_dtype = DType::kFloat32) const;
  std::optional<Tensor> FindTensor(const char* argument) const;
  // Two `value`s; a literal has the element type of the other one.
  std::pair<Tensor, Tensor> GetTensors(const char* a, const char* b) const;
  // A name, or a literal of this type.
  Value Resolve(const Json& argument, DType literal_dtype) const;
  Tensor ResolveTensor(const Json& argument, DType literal_dtype) const;

  int64_t Integer(const char* argument) const;
  int64_t Integer(const char* argument, int64_t otherwise) const {
    return Has(argument) ? Integer(argument) : otherwise;
  }
  double Number(const char* argument, double otherwise) const;
  bool Boolean(const char* argument, bool otherwise = false) const;
  std::string Text(const char* argument) const;
  // A JSON object: of names, or of values.
  const Json& Object(const char* argument) const;
  // Sleeps for "seconds", 0 to 10.
  void Pause() const;
  // The choice that the text of an argument names.
  template <typename Choice>
  Choice Choose(const std::map<std::string, Choice>& choices,
                const char* argument) const {
    const auto found = choices.find(Text(argument));
    if (found == choices.end()) {
      throw ProgramError("unknown " + std::string(argument) + ": " +
                         Text(argument));
    }
    return found->second;
  }
  template <typename Choice>
  Choice Choose(const std::map<std::string, Choice>& choices,
                const char* argument, Choice otherwise) const {
    return Has(argument) ? Choose(choices, argument) : otherwise;
  }
  // The argument "dtype"; default float32.
  DType GetDType() const;

  // "folder/name" for the text of an argument.
  std::string Path(const char* argument) const {
    return folder_ + "/" + Text(argument);
  }
  // The same for "path", or for the value of "found".
  std::string PathOrFound() const;
  const std::string& folder() const { return folder_; }
  // The path relative to the program's folder.
  std::string Relative(const std::string& path) const;

  Environment& environment() const { return environment_; }
  // Runs the block in `inner`, or in the environment of the step.
  void RunBlock(Environment& inner) const;
  void RunBlockHere() const { RunBlock(environment_); }
  // The observations of the block.
  std::vector<std::string> ObservationNames() const {
    return ObservationNamesOf(Argument("program"));
  }
  // Adds the lists of observations of all rounds of the block.
  void ObserveRounds(const std::vector<Json>& rounds) const {
    environment_.ObserveRounds(ObservationNames(), rounds);
  }
  // The value of the argument "return" in `inner`; an empty tuple without it.
  Structure Result(const Environment& inner) const;

  template <typename T>
  static T Held(const Value& value, const std::string& what) {
    if (const T* held = std::get_if<T>(&value)) return *held;
    throw ProgramError("'" + what + "' is a value of another type");
  }

 private:
  const Json& step_;
  Environment& environment_;
  const StepTable& table_;
  const std::string& folder_;
};

// Runs a block in rounds, any number of times.
//
//   Rounds rounds(call);
//   for (...) rounds.Run([&](Environment& inner) { inner.Bind(...); });
//   rounds.Observe();
//
// Errors: those of RunBlock; ResourceExhausted as ObservedList.
class Rounds {
 public:
  explicit Rounds(const StepCall& call)
      : call_(call), names_(call.ObservationNames()) {}

  // `bind` binds the names of the round.
  template <typename Bind>
  void Run(const Bind& bind) {
    Run(bind, [](const Environment&) {});
  }
  // `look` finds names at the end of the round.
  template <typename Bind, typename Look>
  void Run(const Bind& bind, const Look& look) {
    Environment inner(&call_.environment());
    bind(inner);
    call_.RunBlock(inner);
    Add(inner);
    look(inner);
  }

  // Adds the lists of observations of all rounds.
  void Observe() { call_.ObserveRounds(observed_.values()); }

 private:
  void Add(const Environment& round);

  const StepCall& call_;
  const std::vector<std::string> names_;
  ObservedList observed_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_STEP_CALL_H_
