// The program //conformance:run: puts cases to an implementation, and holds
// what comes back against what is expected of it.
//
//   ./bazelw run //conformance:run -- --testee=tensorflow --json=results.json
//
// Prints each case that is not as expected, explained (with --verbose a line
// for every case), what unlisted cases lack, what is wrong with the list of
// deviations, and the summary. A progress bar goes to stderr where that is a
// terminal. At Ctrl-C or SIGTERM the testee is killed, whatever it does, and the
// results so far are written, marked incomplete. With --probe it checks the
// messages of a testee instead (probe/probe.h).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_COMMAND_LINE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_COMMAND_LINE_H_

#include "conformance/runner/commands/choose_testee.h"

namespace lockstep {

// Returns the exit status: 0 when everything is as expected, 1 when not, 2 when
// it could not run to its end (a malformed file, no case, an unknown testee, no
// place to write, an interruption).
int RunCommandLine(int argc, char** argv, const TesteeMakers& in_process);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_COMMAND_LINE_H_
