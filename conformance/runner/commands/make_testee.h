// From what --testee says to the testee itself.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_MAKE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_MAKE_TESTEE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/runner/commands/testee_table.h"
#include "conformance/runner/testee.h"

namespace lockstep {

// Name -> makes that testee, in this process, where nothing can hold it to a
// deadline: for tests.
using TesteeMakers =
    std::map<std::string, std::function<std::unique_ptr<Testee>()>>;

struct ChosenTestee {
  std::unique_ptr<Testee> testee;
  // The name of its list of deviations; empty: the name it declares.
  std::string deviations;
};

// How a testee in another process is held.
struct TesteeLimits {
  double deadline_s = 60;  // for an answer
  // In bytes.
  int64_t most_memory = std::numeric_limits<int64_t>::max();
  // True: it is to end at once.
  std::function<bool()> interrupted = [] { return false; };
};

// `wanted` is a name of `in_process` or of `table`, or a command: then it has a
// space or a slash in it, runs in the folder of the person who typed it, and
// may hold {python}. A name's command runs where this program does.
// Errors: NotFound for anything else, with the names there are; those of
// FrameworksPython.
ChosenTestee MakeTestee(const std::string& wanted, const TesteeLimits& limits,
                        const TesteeMakers& in_process,
                        const TesteeTable& table);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_MAKE_TESTEE_H_
