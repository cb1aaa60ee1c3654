// The program //conformance:run: puts cases to an implementation.
//
//   ./bazelw run //conformance:run -- --filter='input/*' --json=results.json
//
// Prints a line a case (all of them with --verbose, else those that did not
// pass, explained) and the summary.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMAND_LINE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMAND_LINE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "conformance/runner/testee.h"

namespace lockstep {

// Name -> makes that testee.
using TesteeMakers =
    std::map<std::string, std::function<std::unique_ptr<Testee>()>>;

// Returns the exit status: 0 when every case passed, 1 when not, 2 when it
// could not run (a malformed case, no case, an unknown testee, no place to
// write).
int RunCommandLine(int argc, char** argv, const TesteeMakers& makers);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMAND_LINE_H_
