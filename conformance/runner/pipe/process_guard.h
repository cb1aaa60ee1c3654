// The process between the runner and a program it starts, so that nothing of
// the program outlives the runner, not even when that is killed.
//
// The guard starts the program in a process group of its own and watches two
// things: the program, and the socket to the runner. When the program ends, it
// kills what is left of its group and reports. When the runner closes the
// socket, by will or by death, it kills the program and every descendant, also
// those that left the group: they are the guard's children by then, since it
// is their subreaper. Then it removes the program's folder (folder_removal.h).
//
// Of the signals that the program may send to its parent, only two reach the
// guard. SIGSTOP: the runner has it go on. SIGKILL: the kernel kills the
// program, and the runner does the rest (child_process.cc).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_GUARD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_GUARD_H_

namespace lockstep {

struct GuardedProgram {
  char* const* arguments;  // ends with a null pointer, as does
  char* const* environment;
  const char* folder;  // where it starts; removed after its end
  int opened_folder;   // the same, by which it is found when it was moved
  long long longest_file;
  int in, out, err;  // its ends of the pipes
  int control;       // the guard's end of the socket
};

// What the guard writes to the socket: one kStarted or kNotStarted, then one
// kEnded.
struct GuardReport {
  enum Kind : int { kStarted, kNotStarted, kEnded };
  Kind kind;
  int value;  // kNotStarted: errno; kEnded: as waitpid gives it
};

// The life of a guard. To be called in a fresh fork of the runner, which may
// have threads: it uses what is safe in a signal handler, and nothing else.
[[noreturn]] void RunGuard(const GuardedProgram& program);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_GUARD_H_
