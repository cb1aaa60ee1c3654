// From what --testee says to the testee itself.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_CHOOSE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_CHOOSE_TESTEE_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/runner/pipe/process_usage.h"
#include "conformance/runner/testee.h"

namespace lockstep {

struct NamedTestee {
  std::string name;
  std::string means;
  std::vector<std::string> command;  // may hold {python}
  std::string deviations;            // whose list holds for it
};

// The testees that go by a name: conformance/testees.json.
//
//   const TesteeTable table = TesteeTable::Load("conformance/testees.json");
//   table.Find("tensorflow")->command;   // {"{python}", "conformance/..."}
class TesteeTable {
 public:
  // Errors: NotFound; InvalidArgument with file and JSON path for a missing or
  // unknown field, an empty command, a name that stands there twice.
  static TesteeTable Load(const std::string& path);

  // nullptr when there is none.
  const NamedTestee* Find(const std::string& name) const;

  const std::vector<NamedTestee>& testees() const { return testees_; }

 private:
  std::vector<NamedTestee> testees_;
};

// The path of the Python that has the frameworks under test installed; makes
// its environment where there is none yet, which takes minutes and is told on
// stderr.
// Errors: Unavailable when that fails.
std::string FrameworksPython(
    const std::string& make_venv = "third_party/frameworks/make_venv.py");

// The command with each "{python}" replaced by what `python` gives, which is
// called only when there is one.
std::vector<std::string> ResolvePython(
    std::vector<std::string> command,
    const std::function<std::string()>& python);

// Name -> makes that testee, in this process, where nothing can hold it to a
// deadline: for tests.
using TesteeMakers =
    std::map<std::string, std::function<std::unique_ptr<Testee>()>>;

// A testee in another process.
struct TesteeCommand {
  std::vector<std::string> words;
  std::string files;       // where those are that it names
  std::string deviations;  // the name of its list; empty for what has no name
};

struct ChosenTestee {
  // Another one each time, to run beside the others.
  std::function<std::unique_ptr<Testee>()> make;
  // The name of its list of deviations; empty: the name it declares.
  std::string deviations;
};

// How a testee in another process is held.
struct TesteeLimits {
  double start_deadline_s = 120;
  double deadline_s = 60;  // for an answer
  ProcessLimits process = {};
  // True: it is to end at once.
  std::function<bool()> interrupted = [] { return false; };
};

std::chrono::milliseconds Milliseconds(double seconds);

// `wanted` is a name of `table` or a command: then it has a space or a slash in
// it, is split into words as a shell does, and may hold {python}. The files that
// it names are in the folder of the person who typed it, those of a name's
// command where this program runs.
// Errors: NotFound for anything else, with the names there are; InvalidArgument
// for a command that is no list of words; those of FrameworksPython.
TesteeCommand FindCommand(const std::string& wanted, const TesteeTable& table,
                          const TesteeMakers& in_process = {});

// Also a name of `in_process`. Errors: those of FindCommand.
ChosenTestee ChooseTestee(const std::string& wanted, const TesteeLimits& limits,
                          const TesteeMakers& in_process,
                          const TesteeTable& table);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_CHOOSE_TESTEE_H_
