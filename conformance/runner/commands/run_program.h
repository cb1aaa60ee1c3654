// Runs a program with this one's input and output, to its end.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_PROGRAM_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_PROGRAM_H_

#include <string>
#include <vector>

namespace lockstep {

// Returns its exit status, or 128 + the signal that ended it. Errors: NotFound
// when it cannot be started. REQUIRES: the command is not empty.
int RunProgram(const std::vector<std::string>& command);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_PROGRAM_H_
