// Waiting for another thread: a short spin, then sleep.
//
//   uint32_t seen = generation.load();
//   ...
//   seen = WaitForChange(generation, seen, kSpins);   // returns the new value
//
// A wake-up from sleep costs tens of microseconds, so a spin comes first; a
// long one would starve the awaited thread where cores are shared. Whoever
// changes the value calls notify_one or notify_all after it.
#ifndef LOCKSTEP_REFERENCE_BASE_SPIN_WAIT_H_
#define LOCKSTEP_REFERENCE_BASE_SPIN_WAIT_H_

#include <atomic>
#include <thread>

namespace lockstep {

// About 20 to 60 microseconds, depending on the processor.
inline constexpr int kDefaultSpins = 2000;

// How long to spin when `threads` of them work together: not at all where they
// share cores, because the awaited thread then needs this one's core.
inline int SpinsFor(int threads) {
  const unsigned cores = std::thread::hardware_concurrency();
  return static_cast<unsigned>(threads) <= cores ? kDefaultSpins : 0;
}

// Returns the first value seen that is not `seen`.
template <typename T>
T WaitForChange(const std::atomic<T>& value, T seen, int spins) {
  for (int i = 0; i < spins; ++i) {
    const T now = value.load();
    if (now != seen) return now;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(seen);
  return value.load();
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_SPIN_WAIT_H_
