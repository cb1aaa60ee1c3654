#include "conformance/testees/reference/interpreter.h"

#include <fmt/core.h>

#include <new>
#include <utility>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/value.h"

namespace lockstep::conformance {

Environment::~Environment() {
  while (!order_.empty()) {
    names_.find(order_.back())->second = Nothing();
    order_.pop_back();
  }
}

void Environment::Bind(const std::string& name, Value value) {
  if (!names_.insert_or_assign(name, std::move(value)).second) {
    std::erase(order_, name);
  }
  order_.push_back(name);
}

Value Environment::Find(std::string_view path) const {
  const size_t dot = path.find('.');
  const auto found = names_.find(path.substr(0, dot));
  if (found != names_.end()) {
    return dot == path.npos ? found->second
                            : PartOf(found->second, path.substr(dot + 1));
  }
  if (!outer_) {
    throw ProgramError(fmt::format("unknown name '{}'", path));
  }
  return outer_->Find(path);
}

void Environment::ObserveRounds(const std::vector<std::string>& names,
                                const std::vector<Json>& rounds) {
  for (const std::string& name : names) {
    Json list = Json::array();
    for (const Json& round : rounds) {
      list.push_back(round.contains(name) ? round[name] : Json());
    }
    Observe(name, std::move(list));
  }
}

namespace {

// The text of a common field of steps; nullptr if there is none.
const std::string* FindText(const Json& step, const char* field) {
  const auto found = step.find(field);
  if (found == step.end()) return nullptr;
  if (!found->is_string()) {
    throw ProgramError(fmt::format("'{}' of a step is not a text", field));
  }
  return found->get_ptr<const std::string*>();
}

const std::string& NameOf(const Json& step) {
  if (!step.is_object()) throw ProgramError("a step is not an object");
  const std::string* name = FindText(step, "step");
  if (!name) throw ProgramError("a step has no name under 'step'");
  return *name;
}

void DoStep(const StepFunction& function, const Json& step,
            Environment& environment, const StepTable& table,
            const std::string& folder) {
  const std::string* observe = FindText(step, "observe");
  const std::string* let = FindText(step, "let");
  Value value = function(StepCall(step, environment, table, folder));
  if (observe) environment.Observe(*observe, ToObservation(value));
  if (let) environment.Bind(*let, std::move(value));
}

void RunStep(const Json& step, Environment& environment, const StepTable& table,
             const std::string& folder) {
  const std::string& name = NameOf(step);
  const StepFunction* function = table.Find(name);
  if (!function) throw UnsupportedStep(name, "the reference has no such step");
  try {
    DoStep(*function, step, environment, table, folder);
  } catch (const StepError&) {
    throw;  // from a step in the block, which is more specific
  } catch (const Error& error) {
    throw StepError(error, name);
  } catch (const std::bad_alloc&) {
    throw StepError(ResourceExhausted("[{}] out of memory", name), name);
  }
}

}  // namespace

void RunProgram(const Json& program, Environment& environment,
                const StepTable& table, const std::string& folder) {
  if (!program.is_array()) throw ProgramError("a program is not a list");
  for (const Json& step : program) {
    RunStep(step, environment, table, folder);
  }
}

}  // namespace lockstep::conformance
