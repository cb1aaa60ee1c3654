// How much a program may ask for (operations.md): enough for any case, and
// little enough that a slip of the pen is refused instead of tried.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROGRAM_LIMITS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROGRAM_LIMITS_H_

#include <cstdint>

namespace lockstep {

// Replicas, and logical devices; each replica may be a thread or a process.
inline constexpr int64_t kMostReplicas = 64;

// Rounds of one program.repeat.
inline constexpr int64_t kMostRounds = 1'000'000;

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROGRAM_LIMITS_H_
