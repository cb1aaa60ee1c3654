// Where a path that a person typed is meant: `bazel run` starts programs in a
// folder of its own.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_USER_PATHS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_USER_PATHS_H_

#include <string>
#include <vector>

namespace lockstep {

// Moves to the program's own files where `wanted`, one of them, is not in the
// current folder: a program started by hand finds them as under `bazel run`, and
// the paths below are still meant where the person is.
void EnterOwnFiles(const std::string& wanted);

// What a person pastes into a shell, where they are, to start this program
// again, up to its options: "../bazelw run //conformance:run --" in a folder of
// the workspace, the path it was started by (argv[0]) outside of `bazel run`.
std::string CommandForUser(const std::string& target, const std::string& path);

// To read: in the folder the person is in, else among the program's own files.
std::string InputPath(const std::string& path);

std::vector<std::string> InputPaths(std::vector<std::string> paths);

// To write: in the folder the person is in.
std::string OutputPath(const std::string& path);

// A file of the source tree, itself and not Bazel's link to it.
std::string SourcePath(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_USER_PATHS_H_
