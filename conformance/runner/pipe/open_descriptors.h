// Closes descriptors that a forked process inherited.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_OPEN_DESCRIPTORS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_OPEN_DESCRIPTORS_H_

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace lockstep {

// close_range, with a fallback for Linux before 5.9.
inline void CloseRange(unsigned first, unsigned last) {
  constexpr unsigned kHighestLikely = 1 << 16;
  if (close_range(first, last, 0) == 0) return;
  for (unsigned fd = first; fd <= std::min(last, kHighestLikely); ++fd) {
    close(static_cast<int>(fd));
  }
}

// Async-signal-safe. REQUIRES: the kept descriptors are open and distinct.
//
//   CloseAllBut(std::array{0, 1, 2, socket});
template <size_t kCount>
void CloseAllBut(std::array<int, kCount> kept) {
  std::ranges::sort(kept);
  int first = 0;
  for (const int descriptor : kept) {
    if (descriptor > first) CloseRange(first, descriptor - 1);
    first = descriptor + 1;
  }
  CloseRange(first, ~0U);
}

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_OPEN_DESCRIPTORS_H_
