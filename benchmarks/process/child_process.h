// Child processes of a benchmark.
//
//   MemoryFile said("said");
//   ChildProcess child("/proc/self/exe", {"scaling", "--help"},
//                      {.out = said.descriptor()});
//   child.Wait().ToString();     // "exit status 0"
//
// A child has its own process group, so Ctrl-C at the terminal does not reach
// it; the parent handles that. It is killed when this object is destroyed.
#ifndef LOCKSTEP_BENCHMARKS_PROCESS_CHILD_PROCESS_H_
#define LOCKSTEP_BENCHMARKS_PROCESS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::benchmarks {

struct ProcessEnd {
  int status = 0;  // it exited with
  int signal = 0;  // that killed it; 0: none

  bool well() const { return status == 0 && signal == 0; }
  // "exit status 1", "signal 9 (Killed)"
  std::string ToString() const;
};

// Descriptors that become the child's; -1: it inherits ours.
struct ChildStreams {
  int in = -1;
  int out = -1;
  int err = -1;
};

class ChildProcess {
 public:
  // `words` are its command line, the name that it is called by first. Errors:
  // what SystemError makes of a program that cannot be started.
  ChildProcess(const std::string& program, std::vector<std::string> words,
               const ChildStreams& streams);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }

  // Waits until it has ended, and says how.
  ProcessEnd Wait();
  // The same, at the latest after `patience`: nothing while it lives.
  std::optional<ProcessEnd> WaitFor(std::chrono::milliseconds patience);

 private:
  bool TakeEnd(int options);

  pid_t id_ = 0;
  std::optional<ProcessEnd> end_;
};

// For a child: it is killed when its parent dies. REQUIRES: the thread
// that started it lives as long as its process.
void EndWithStarter();

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_PROCESS_CHILD_PROCESS_H_
