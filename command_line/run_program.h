// The frame of every program's main function.
//
//   int main(int argc, char** argv) {
//     return RunProgram([&] { return Main(argc, argv); });
//   }
//
// An exception is a line on stderr and status 1 (or what `failed` says). So is a
// full disk or a closed pipe behind stdout, after the work is done: neither that
// nor a limit on file sizes ends the program in the middle, by a signal.
#ifndef LOCKSTEP_COMMAND_LINE_RUN_PROGRAM_H_
#define LOCKSTEP_COMMAND_LINE_RUN_PROGRAM_H_

#include <functional>

namespace lockstep {

// Returns the status that `body` returned, or `failed`.
int RunProgram(const std::function<int()>& body, int failed = 1);

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_RUN_PROGRAM_H_
