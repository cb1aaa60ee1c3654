// The time until which a thread waits for others.
#ifndef LOCKSTEP_REFERENCE_BASE_DEADLINE_H_
#define LOCKSTEP_REFERENCE_BASE_DEADLINE_H_

#include <chrono>

namespace lockstep {

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_DEADLINE_H_
