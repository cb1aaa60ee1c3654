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

// About 20 to 60 microseconds, depending on the processor: between the loops of
// a computation, where the wait is usually shorter.
inline constexpr int kDefaultSpins = 2000;

// How long to spin when `threads` of them meet: some microseconds where each
// can have a core. Longer would only delay an awaited thread that has none just
// now, and where they share cores it needs this one's at once.
inline int SpinsFor(int threads) {
  constexpr int kShortSpins = 300;
  const unsigned cores = std::thread::hardware_concurrency();
  return static_cast<unsigned>(threads) <= cores ? kShortSpins : 0;
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
