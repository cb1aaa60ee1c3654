// Resolves paths that a user typed: `bazel run` starts programs in another
// folder.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_USER_PATHS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_USER_PATHS_H_

#include <string>
#include <vector>

namespace lockstep {

// Changes to the folder of the program's runfiles if `file`, one of them, does
// not exist in the current folder. So a program that is started without Bazel
// finds its files too, and the paths below still refer to the folder of the
// user.
void ChangeToRunfiles(const std::string& file);

// The command that starts this program again, up to its options, for the shell
// of the user: "../bazelw run //conformance:run --" in a subfolder of the
// workspace; `path` (argv[0]) if it was not started by `bazel run`. A program
// that starts this one, such as the wheel's, may set it as LOCKSTEP_COMMAND.
std::string CommandForUser(const std::string& target, const std::string& path);

// The same for the program //conformance:explain, which is beside `path`, that
// of //conformance:run. The variable is LOCKSTEP_EXPLAIN_COMMAND.
std::string ExplainCommandForUser(const std::string& path);

// A path to read: in the folder of the user, else among the program's runfiles.
std::string InputPath(const std::string& path);

std::vector<std::string> InputPaths(std::vector<std::string> paths);

// A path to write: in the folder of the user.
std::string OutputPath(const std::string& path);

// A file of the source tree itself, not Bazel's link to it.
std::string SourcePath(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_USER_PATHS_H_
