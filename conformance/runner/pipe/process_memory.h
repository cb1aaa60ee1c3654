// How much memory processes hold.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_MEMORY_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_MEMORY_H_

#include <sys/types.h>

#include <cstdint>

namespace lockstep {

// The bytes that the children of `process`, their children and so on hold in
// memory by themselves: neither files nor what they share. What is only
// reserved does not count.
int64_t MemoryOfDescendants(pid_t process);

// Half of what this machine, or this container, has.
int64_t HalfOfAllMemory();

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROCESS_MEMORY_H_
