// What a thread does between two polls for something that does not wake it.
//
//   Backoff backoff;
//   while (!Look()) backoff.Rest();
//
// It looks a few times at once, then lets others have the core for a fraction
// of a millisecond: the thread it waits for may need it, and where none does
// that costs nothing. Then it sleeps, the longer the longer it has waited: an
// eighth of that time, so that a wait becomes longer by no more, and at most 1
// ms. A wait of seconds costs some hundredths of a core.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_BACKOFF_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_BACKOFF_H_

#include <algorithm>
#include <chrono>
#include <thread>

namespace lockstep::collectives_internal {

class Backoff {
 public:
  void Rest() {
    using std::chrono::microseconds;
    if (rests_++ < kSpins) return;
    const auto now = std::chrono::steady_clock::now();
    if (rests_ == kSpins + 1) spun_until_ = now;
    const auto waited = now - spun_until_;
    if (waited < microseconds(300)) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(
          std::min<std::chrono::nanoseconds>(waited / 8, microseconds(1000)));
    }
  }

 private:
  static constexpr int kSpins = 20;
  int rests_ = 0;
  std::chrono::steady_clock::time_point spun_until_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_BACKOFF_H_
