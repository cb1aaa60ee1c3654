// The guard: a process between the runner and a program, which makes sure that
// nothing of the program outlives the runner, even if the runner is killed.
//
// The guard starts the program in its own process group and watches the program
// and the socket to the runner. When the program ends, it kills the rest of the
// group and reports the end. When the runner closes the socket, or dies, it
// kills the program and every descendant, including those that left the group:
// they become the guard's children, because it is their subreaper. Then it
// removes the program's folder (folder_removal.h).
//
// The program can send signals to the guard, its parent, but only two have an
// effect. SIGSTOP: the runner continues it. SIGKILL: the kernel kills the
// program, and the runner does the rest (child_process.cc).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_GUARD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_GUARD_H_

namespace lockstep {

struct GuardedProgram {
  char* const* arguments;  // ends with a null pointer, as does
  char* const* environment;
  const char* folder;  // its working directory; removed after its end
  int opened_folder;   // the same, in case it is moved
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

// Runs a guard. REQUIRES: called in a process that was just forked. The runner
// may have threads, so only async-signal-safe functions are used.
[[noreturn]] void RunGuard(const GuardedProgram& program);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_GUARD_H_
