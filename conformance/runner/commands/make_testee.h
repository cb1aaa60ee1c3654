// From what --testee says to the testee itself.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_MAKE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_MAKE_TESTEE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/runner/commands/testee_table.h"
#include "conformance/runner/testee.h"

namespace lockstep {

// Name -> makes that testee, in this process.
using TesteeMakers =
    std::map<std::string, std::function<std::unique_ptr<Testee>()>>;

struct ChosenTestee {
  std::unique_ptr<Testee> testee;
  // The name of its list of deviations; empty: the name it declares.
  std::string deviations;
};

// `wanted` is a name of `in_process` or of `table`, or a command: then it has a
// space or a slash in it, runs in the folder of the person who typed it, and
// may hold {python}. A name's command runs where this program does.
// Errors: NotFound for anything else, with the names there are; those of
// FrameworksPython.
ChosenTestee MakeTestee(const std::string& wanted, double deadline_s,
                        const TesteeMakers& in_process,
                        const TesteeTable& table);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_MAKE_TESTEE_H_
