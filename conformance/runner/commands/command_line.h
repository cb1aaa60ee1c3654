// The program //conformance:run: runs cases against an implementation, and
// compares the results with the expected ones.
//
//   ./bazelw run //conformance:run -- --testee=tensorflow --json=results.json
//
// Prints an explanation of each case that is not as expected (with --verbose a
// line for every case), the unsupported steps that are not listed, the problems
// of the list of deviations, and the summary. A progress bar is on stderr if
// that is a terminal. Ctrl-C and SIGTERM kill the testee; the results so far
// are written, marked incomplete. With --probe it checks the messages of a
// testee instead (probe/probe.h).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_COMMAND_LINE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_COMMAND_LINE_H_

#include "conformance/runner/commands/choose_testee.h"

namespace lockstep {

// Returns the exit status: 0 if everything is as expected, 1 if not, 2 if the
// run could not complete (a malformed file, no case, an unknown testee, an
// output path that is not writable, an interruption).
int RunCommandLine(int argc, char** argv, const TesteeFactories& in_process);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_COMMAND_LINE_H_
