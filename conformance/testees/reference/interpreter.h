// Runs the steps of a program.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTERPRETER_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTERPRETER_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/testees/reference/step_table.h"
#include "conformance/testees/reference/value.h"

namespace lockstep::conformance {

// The names that a block sees, and its observations.
class Environment {
 public:
  // `outer` may be null and is only read. REQUIRES: it outlives this object and
  // does not change meanwhile, because replicas share it.
  explicit Environment(const Environment* outer = nullptr) : outer_(outer) {}
  // Destroys names in reverse order of binding: for instance an iterator that
  // prefetches, before the names that functions of its dataset look up.
  ~Environment();

  // Adds an environment for a block that lives as long as this one, because a
  // result of the block (a dataset with a map) looks up names in it later.
  // Thread-safe: readers of datasets call it.
  Environment& AddPersistent() {
    const std::lock_guard lock(persistent_mutex_);
    persistent_.push_back(std::make_unique<Environment>(this));
    return *persistent_.back();
  }

  void Bind(const std::string& name, Value value);
  // The value of "name" or "name.part". Errors: ProgramError.
  Value Find(std::string_view path) const;

  void Observe(const std::string& name, Json observation) {
    observations_[name] = std::move(observation);
  }
  const Json& observations() const { return observations_; }

  // Observes, for each of `names`, the list of observations of the rounds; null
  // for a round without one.
  void ObserveRounds(const std::vector<std::string>& names,
                     const std::vector<Json>& rounds);

 private:
  const Environment* outer_;
  std::mutex persistent_mutex_;
  // Destroyed after the names, whose datasets may still prefetch.
  std::vector<std::unique_ptr<Environment>> persistent_;
  std::map<std::string, Value, std::less<>> names_;
  std::vector<std::string> order_;  // in which names were bound
  Json observations_ = Json::object();
};

// Runs a program in `environment`. Errors: StepError of the innermost step that
// failed; UnsupportedStep; ProgramError.
void RunProgram(const Json& program, Environment& environment,
                const StepTable& table, const std::string& folder);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTERPRETER_H_
