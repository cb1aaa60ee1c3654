#include "conformance/testees/reference/interpreter.h"

#include "conformance/testees/reference/program_error.h"
#include "conformance/testees/reference/step_call.h"

namespace lockstep::conformance {
namespace {

void RunStep(const Json& step, Environment& environment, const StepTable& table,
             const std::string& folder) {
  const std::string name = step["step"];
  const StepFunction* function = table.Find(name);
  if (!function) throw UnsupportedStep(name, "the reference has no such step");
  Value value;
  try {
    value = (*function)(StepCall(step, environment, table, folder));
  } catch (const StepError&) {
    throw;  // of a step in the block, which says more
  } catch (const Error& error) {
    throw StepError(error, name);
  }
  if (step.contains("observe")) {
    environment.Observe(step["observe"], ToObservation(value));
  }
  if (step.contains("let")) environment.Bind(step["let"], std::move(value));
}

}  // namespace

void RunProgram(const Json& program, Environment& environment,
                const StepTable& table, const std::string& folder) {
  for (const Json& step : program) {
    RunStep(step, environment, table, folder);
  }
}

}  // namespace lockstep::conformance
