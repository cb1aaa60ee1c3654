// Runs a shell command and captures its output.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_PROGRAM_OUTPUT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_PROGRAM_OUTPUT_H_

#include <string>

namespace lockstep {

// Returns what the command writes to stdout; its stderr is this program's.
// Errors: Unavailable, with `operation`, if the command does not start or
// fails.
std::string OutputOf(const std::string& command, const char* operation);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_PROGRAM_OUTPUT_H_
