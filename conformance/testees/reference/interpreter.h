// Does the steps of a program, one after another.
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

// The names a block sees and the observations it makes.
class Environment {
 public:
  // `outer` (nullptr: none) is only read. REQUIRES: it outlives this one and
  // does not change meanwhile, since replicas share it.
  explicit Environment(const Environment* outer = nullptr) : outer_(outer) {}
  // What was bound last goes first: an iterator whose thread reads ahead, say,
  // before what the functions of its dataset look up here.
  ~Environment();

  // A block's environment that lives as long as this one: what the block makes
  // (a dataset with a map) looks into it later. May be called by several
  // threads at once, as readers of datasets do.
  Environment& AddLasting() {
    const std::lock_guard lock(lasting_mutex_);
    lasting_.push_back(std::make_unique<Environment>(this));
    return *lasting_.back();
  }

  void Bind(const std::string& name, Value value);
  // What "name" or "name.part" stands for. Errors: ProgramError.
  Value Find(std::string_view path) const;

  void Observe(const std::string& name, Json observation) {
    observations_[name] = std::move(observation);
  }
  const Json& observations() const { return observations_; }

  // For each of `names` the list of what the rounds observed, null where a
  // round observed nothing.
  void ObserveRounds(const std::vector<std::string>& names,
                     const std::vector<Json>& rounds);

 private:
  const Environment* outer_;
  std::mutex lasting_mutex_;
  // Go after the names, whose datasets may still be read ahead.
  std::vector<std::unique_ptr<Environment>> lasting_;
  std::map<std::string, Value, std::less<>> names_;
  std::vector<std::string> order_;  // of binding
  Json observations_ = Json::object();
};

// Binds and observes in `environment`. Errors: StepError from the innermost
// step that failed; UnsupportedStep; ProgramError.
void RunProgram(const Json& program, Environment& environment,
                const StepTable& table, const std::string& folder);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTERPRETER_H_
