// What a process and all that it started take of the machine, and what they may.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <string>

namespace lockstep {

// Of a program and all that it started.
struct ProcessLimits {
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  int64_t memory = kNone;     // bytes, as below
  int64_t processes = kNone;  // at one time
  // Bytes of all that stands on its stderr, of all files in its folder, and of
  // any one file wherever it lies.
  int64_t output = kNone;
};

struct ProcessUsage {
  // The bytes that they hold in memory by themselves: neither files nor what
  // they share. What is only reserved does not count.
  int64_t memory = 0;
  int64_t processes = 0;
};

// Of the children of `process`, their children and so on.
ProcessUsage UsageOfDescendants(pid_t process);

// What the files in a folder take on the disk. One that goes meanwhile, or may
// not be looked into, counts as nothing.
int64_t BytesIn(const std::string& folder);

// Half of what this machine, or this container, has.
int64_t HalfOfAllMemory();

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_
