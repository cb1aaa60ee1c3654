// Another worker of a job on this machine: a second process of the running
// program, with its own command line.
//
//   WorkerProcess second(1, {argv[0], "--worker=1", "--port=4711"});
//   ... train together ...
//   second.Join();
//
// Its output is discarded. It is killed when this object is destroyed.
#ifndef LOCKSTEP_BENCHMARKS_PROCESS_WORKER_PROCESS_H_
#define LOCKSTEP_BENCHMARKS_PROCESS_WORKER_PROCESS_H_

#include <chrono>
#include <string>
#include <vector>

#include "benchmarks/process/child_process.h"
#include "benchmarks/process/memory_file.h"

namespace lockstep::benchmarks {

class WorkerProcess {
 public:
  // Errors: those of ChildProcess.
  WorkerProcess(int worker, std::vector<std::string> words);

  pid_t id() const { return process_.id(); }

  // Waits until it has ended. Errors: Unavailable with its problem.
  void Join();

  // "worker 1 ended with exit status 1: [GetNext] there is no data": how it
  // ended and the last line of its stderr, if it failed within `patience`. Else
  // empty.
  std::string Problem(std::chrono::milliseconds patience);

 private:
  std::string ProblemOf(const ProcessEnd& end) const;

  const int worker_;
  MemoryFile out_;
  MemoryFile err_;
  ChildProcess process_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_PROCESS_WORKER_PROCESS_H_
