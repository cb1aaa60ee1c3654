// The Python that has the frameworks under test installed.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_FRAMEWORKS_PYTHON_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_FRAMEWORKS_PYTHON_H_

#include <functional>
#include <string>
#include <vector>

namespace lockstep {

// Gives the path of that Python; makes its environment where there is none yet,
// which takes minutes and is told on stderr.
// Errors: Unavailable when that fails.
std::string FrameworksPython(
    const std::string& make_venv = "third_party/frameworks/make_venv.py");

// The command with each "{python}" replaced by what `python` gives, which is
// called only when there is one.
std::vector<std::string> ResolvePython(
    std::vector<std::string> command,
    const std::function<std::string()>& python);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_FRAMEWORKS_PYTHON_H_
