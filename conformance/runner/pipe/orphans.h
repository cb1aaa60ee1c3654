// Processes of a program whose guard is gone (process_guard.h).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_ORPHANS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_ORPHANS_H_

#include <chrono>
#include <string>

namespace lockstep {

// Kills every process that was started with `folder`, or one in it, as its
// TMPDIR, until there is none. Nobody is their parent here, so this is how they
// are known; one that was started with another TMPDIR is not found, nor one of
// another user. False when some are still there after `patience`.
bool KillProcessesOf(const std::string& folder,
                     std::chrono::milliseconds patience);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_ORPHANS_H_
