// For main functions: error handling, output, and the user's folders.
#ifndef LOCKSTEP_COMMAND_LINE_PROGRAM_H_
#define LOCKSTEP_COMMAND_LINE_PROGRAM_H_

#include <fmt/core.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>

namespace lockstep {

// Prints on stdout, as fmt::print does, but continues if stdout is full or
// closed, so that results are not lost. RunProgram reports that error at the
// end.
template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stdout);
}

// The user's folders, with or without Bazel.
//
// `bazel run` starts programs in another folder: changes to the folder that the
// user is in, to which relative paths refer.
void EnterUsersFolder();

// The default folder for results: "results" at the root of the checkout, which
// git ignores; without Bazel in the current folder.
std::string ResultsFolder();

// Runs the body of a main function.
//
//   int main(int argc, char** argv) {
//     return RunProgram([&] { return Main(argc, argv); });
//   }
//
// An exception prints a line on stderr and returns `failed` (by default 1). So
// does a full disk or closed pipe for stdout, after the work is done: neither
// it nor a limit on file sizes ends the program early by a signal.
//
// Returns the status that `body` returned, or `failed`.
int RunProgram(const std::function<int()>& body, int failed = 1);

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_PROGRAM_H_
