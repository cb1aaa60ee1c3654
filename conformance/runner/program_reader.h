// Checks the form of a program: what the language allows anywhere. What each
// step wants of its arguments stands in operations.md and is tools/check_cases'
// to prove.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROGRAM_READER_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROGRAM_READER_H_

#include <set>
#include <string>

#include "conformance/runner/json_cursor.h"
#include "conformance/runner/operations.h"

namespace lockstep {

using ObservationNames = std::set<std::string, std::less<>>;

// Returns the names of all observations, blocks included. Errors:
// InvalidArgument for an empty program, an unknown step, a name that is none,
// an observation made by two steps.
ObservationNames CheckProgram(const JsonCursor& program,
                              const StepNames& steps);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROGRAM_READER_H_
