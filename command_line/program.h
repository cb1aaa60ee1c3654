// The frame of every program: its main function, what it prints, and the
// folders of the person who started it.
#ifndef LOCKSTEP_COMMAND_LINE_PROGRAM_H_
#define LOCKSTEP_COMMAND_LINE_PROGRAM_H_

#include <fmt/core.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>

namespace lockstep {

// Prints on stdout, as fmt::print does, but lets the work go on where stdout is
// full or closed: results are worth more than what is said of them. RunProgram
// makes that an error at the end.
template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stdout);
}

// Folders of the person who started the program, in Bazel or outside of it.
//
// `bazel run` starts programs elsewhere: goes to the folder that the person is
// in, which relative paths are meant for.
void EnterUsersFolder();

// Where results go unless told otherwise: "results" at the root of the
// checkout, which git ignores; of the folder that the person is in, without
// Bazel.
std::string ResultsFolder();

// Runs the body of a main function.
//
//   int main(int argc, char** argv) {
//     return RunProgram([&] { return Main(argc, argv); });
//   }
//
// An exception is a line on stderr and status 1 (or what `failed` says). So is
// a full disk or a closed pipe behind stdout, after the work is done: neither
// that nor a limit on file sizes ends the program in the middle, by a signal.
//
// Returns the status that `body` returned, or `failed`.
int RunProgram(const std::function<int()>& body, int failed = 1);

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_PROGRAM_H_
