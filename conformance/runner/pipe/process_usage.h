// The resources that a process and its descendants use, and their limits.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_

#include <sys/types.h>

#include <cstdint>
#include <limits>

namespace lockstep {

// Limits of a program and all its descendants.
struct ProcessLimits {
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  int64_t memory = kNone;     // bytes, as below
  int64_t processes = kNone;  // at one time, with 40 times as many threads
  // Bytes on stderr, bytes of all files in its folder, and bytes of any single
  // file.
  int64_t output = kNone;

  bool operator==(const ProcessLimits&) const = default;
};

struct ProcessUsage {
  // Private resident memory in bytes: without files, shared and reserved
  // memory.
  int64_t memory = 0;
  int64_t processes = 0;
};

// The usage of the descendants of `process`, without itself. Stops once there
// are more than `most_processes`, or kThreadsPerProcess times as many threads,
// because each thread has its own list of children; `processes` is then larger
// than `most_processes`.
inline constexpr int64_t kThreadsPerProcess = 40;
ProcessUsage UsageOfDescendants(pid_t process,
                                int64_t most_processes = ProcessLimits::kNone);

// Half of the memory of this machine or container.
int64_t HalfOfAllMemory();

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_USAGE_H_
