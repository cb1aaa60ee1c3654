// Does the steps of a program, one after another.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTERPRETER_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTERPRETER_H_

#include <string>

#include "conformance/testees/reference/environment.h"
#include "conformance/testees/reference/step_table.h"

namespace lockstep::conformance {

// Binds and observes in `environment`. Errors: StepError from the innermost
// step that failed; UnsupportedStep; ProgramError.
void RunProgram(const Json& program, Environment& environment,
                const StepTable& table, const std::string& folder);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTERPRETER_H_
