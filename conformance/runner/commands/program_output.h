// What a program prints.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_PROGRAM_OUTPUT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_PROGRAM_OUTPUT_H_

#include <string>

namespace lockstep {

// Runs a shell's command and returns what it writes to stdout; its stderr goes
// to this program's.
// Errors: Unavailable, which `operation` leads, where it does not start or fails.
std::string OutputOf(const std::string& command, const char* operation);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_PROGRAM_OUTPUT_H_
