// Creates the testee that --testee names.
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
  std::vector<std::string> command;  // may contain {python}
  std::string deviations;            // the name of its list
};

// The named testees: conformance/testees.json.
//
//   const TesteeTable table = TesteeTable::Load("conformance/testees.json");
//   table.Find("tensorflow")->command;   // {"{python}", "conformance/..."}
class TesteeTable {
 public:
  // Errors: NotFound; InvalidArgument with file and JSON path for a missing or
  // unknown field, an empty command, a duplicate name.
  static TesteeTable Load(const std::string& path);

  // nullptr when there is none.
  const NamedTestee* Find(const std::string& name) const;

  const std::vector<NamedTestee>& testees() const { return testees_; }

 private:
  std::vector<NamedTestee> testees_;
};

// The path of the Python with the frameworks under test: LOCKSTEP_PYTHON, if it
// is set, else that of an environment with pinned versions. Creates the
// environment if there is none yet, which takes minutes and is reported on
// stderr. Errors: Unavailable if that fails.
std::string FrameworksPython(
    const std::string& make_venv = "third_party/frameworks/make_venv.py");

// The command with each "{python}" replaced by the result of `python`, which is
// called at most once, and only if needed.
std::vector<std::string> ResolvePython(
    std::vector<std::string> command,
    const std::function<std::string()>& python);

// Name -> creates that testee in this process, where no deadline can be
// enforced: for tests.
using TesteeFactories =
    std::map<std::string, std::function<std::unique_ptr<Testee>()>>;

// A testee in another process.
struct TesteeCommand {
  std::vector<std::string> words;
  std::string files;       // the folder of the files that it names
  std::string deviations;  // the name of its list; empty for a command
};

struct ChosenTestee {
  // Creates another instance with each call, to run in parallel.
  std::function<std::unique_ptr<Testee>()> make;
  // The name of its list of deviations; empty: the name it declares.
  std::string deviations;
};

// The limits of a testee in another process.
struct TesteeLimits {
  double start_deadline_s = 120;
  double deadline_s = 60;  // for each answer
  ProcessLimits process = {};
  // Returns true if it must end at once.
  std::function<bool()> interrupted = [] { return false; };
};

std::chrono::milliseconds Milliseconds(double seconds);

// `name_or_command` is a name of `table`, or a command. A command contains a
// space or a slash, is split into words as a shell does, and may contain
// {python}. Its files are relative to the folder of the user; those of a named
// testee are relative to the current folder. Errors: NotFound for anything
// else, with the known names; InvalidArgument for a command that is not a list
// of words; those of FrameworksPython.
TesteeCommand FindCommand(const std::string& name_or_command,
                          const TesteeTable& table,
                          const TesteeFactories& in_process = {});

// The same, where a name of `in_process` is also accepted. Errors: those of
// FindCommand.
ChosenTestee ChooseTestee(const std::string& name_or_command,
                          const TesteeLimits& limits,
                          const TesteeFactories& in_process,
                          const TesteeTable& table);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_CHOOSE_TESTEE_H_
