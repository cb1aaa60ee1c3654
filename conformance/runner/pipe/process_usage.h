// What a process and all that it started take of the machine, and what they may.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_

#include <sys/types.h>

#include <cstdint>
#include <limits>

namespace lockstep {

// Of a program and all that it started.
struct ProcessLimits {
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  int64_t memory = kNone;     // bytes, as below
  int64_t processes = kNone;  // at one time, with 40 times as many threads
  // Bytes of all that stands on its stderr, of all files in its folder, and of
  // any one file wherever it lies.
  int64_t output = kNone;

  bool operator==(const ProcessLimits&) const = default;
};

struct ProcessUsage {
  // The bytes that they hold in memory by themselves: neither files nor what
  // they share. What is only reserved does not count.
  int64_t memory = 0;
  int64_t processes = 0;
};

// Of the children of `process`, their children and so on. Looks no further once
// there are more than `most_processes`, or than kThreadsOfAProcess times as many
// threads, since each thread has children of its own to look for: then more
// than `most_processes` is what it gives.
inline constexpr int64_t kThreadsOfAProcess = 40;
ProcessUsage UsageOfDescendants(pid_t process,
                                int64_t most_processes = ProcessLimits::kNone);

// Half of what this machine, or this container, has.
int64_t HalfOfAllMemory();

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_
