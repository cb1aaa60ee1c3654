// The pauses of a thread that polls.
//
//   Backoff backoff;
//   while (!Look()) backoff.Rest();
//
// The first polls follow each other at once. Then the thread yields its core
// for a fraction of a millisecond, since the thread it waits for may need it.
// Then it sleeps for an eighth of the time waited so far, at most 1 ms, so a
// wait gets at most an eighth longer. A wait of seconds uses a few percent of a
// core.
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
