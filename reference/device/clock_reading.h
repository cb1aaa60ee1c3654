// When, by the host's clock, a queue reached a point that the host waited for.
//
// The host sees it some time later, and at a cold queue much later. So it is
// tried a few times, and that time counts which the host waited least for:
//
//   const ClockReading origin = ReadClock([&](int attempt) {
//     events[attempt].Record(stream);
//     stream.Synchronize();
//   });
//   origin.time;   // of events[origin.attempt], to half of origin.wait
#ifndef LOCKSTEP_REFERENCE_DEVICE_CLOCK_READING_H_
#define LOCKSTEP_REFERENCE_DEVICE_CLOCK_READING_H_

#include <chrono>
#include <functional>

namespace lockstep {

struct ClockReading {
  using Clock = std::chrono::steady_clock;

  static constexpr int kAttempts = 5;

  int attempt = 0;
  Clock::time_point time;  // in the middle of the wait
  Clock::duration wait = Clock::duration::max();
};

// `reach(attempt)` marks the attempt's point and waits for it. Its errors reach
// the caller. `now` is for tests.
inline ClockReading ReadClock(
    const std::function<void(int attempt)>& reach,
    const std::function<ClockReading::Clock::time_point()>& now =
        &ClockReading::Clock::now) {
  ClockReading best;
  for (int attempt = 0; attempt < ClockReading::kAttempts; ++attempt) {
    const auto before = now();
    reach(attempt);
    const auto wait = now() - before;
    if (wait < best.wait) best = {attempt, before + wait / 2, wait};
  }
  return best;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CLOCK_READING_H_
