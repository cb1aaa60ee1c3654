// How many calls of a user's function a reader makes at a time.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PARALLELISM_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PARALLELISM_H_

#include <chrono>
#include <cstdint>
#include <string_view>

namespace lockstep::data_internal {

// No reader has more threads: a larger number of calls counts as this one.
inline constexpr int64_t kMostParallelCalls = 128;

// Errors: InvalidArgument, led by `operation`, for a negative number other than
// kAutotune.
void CheckParallelCalls(std::string_view operation, int64_t calls);

// A number of calls that follows from how long the program waits for elements.
//
// It begins with the number of cores. After every round of a few elements and
// 50 ms: if the program waited for more than a tenth of the time, the number
// doubles, up to `most`. If elements then do not arrive at least a tenth
// faster, the doubling is undone, and not tried again for ten rounds. So
// functions that wait, for files or a server, get many threads, those that
// compute get as many as there are cores, and a program that is slower than its
// input costs no further threads.
//
//   CallTuner tuner(/*first=*/2, /*most=*/64);
//   tuner.Took(waited, now);   // for every element
//   tuner.calls();             // 2, later 4, 8, ...
class CallTuner {
 public:
  using Clock = std::chrono::steady_clock;

  // REQUIRES: 1 <= first <= most.
  CallTuner(int64_t first, int64_t most) : calls_(first), most_(most) {}

  int64_t calls() const { return calls_; }

  // An element was taken at `now`, after a wait of `waited`.
  void Took(Clock::duration waited, Clock::time_point now);

 private:
  void EndRound(double seconds);

  int64_t calls_;
  int64_t most_;
  int rest_ = 0;  // rounds until it may double
  // Of the round: it begins with the first element taken.
  Clock::time_point start_{};
  Clock::duration waited_{};
  int64_t taken_ = -1;
  // Elements a second before the last doubling; 0: the last round did not
  // double.
  double rate_before_ = 0;
};

// Whether elements take less time to make than to pass from thread to thread.
//
//   LightGauge gauge;
//   gauge.Took(std::chrono::microseconds(1));   // for every element
//   gauge.light();   // after 64 of them: whether nearly all took below 10 us
//   gauge.heavy();   // the opposite; before, it is neither
//
// A few slow ones do not count, since a thread may lose its core at any time;
// after more of them it is heavy at once.
class LightGauge {
 public:
  using Clock = CallTuner::Clock;

  void Took(Clock::duration time);
  bool light() const { return weight_ == Weight::kLight; }
  bool heavy() const { return weight_ == Weight::kHeavy; }

 private:
  enum class Weight { kUnknown, kLight, kHeavy };

  Weight weight_ = Weight::kUnknown;
  int taken_ = 0;  // in this round
  int slow_ = 0;   // of them
};

// Either a fixed number of calls, or a tuned one for kAutotune.
class CallLimit {
 public:
  // At most `most`, also for kAutotune. REQUIRES: most >= 1, `calls` is
  // kAutotune or not negative.
  CallLimit(int64_t calls, int64_t most);

  bool tuned() const { return tuned_; }
  int64_t calls() const { return tuner_.calls(); }
  void Took(CallTuner::Clock::duration waited) {
    if (tuned_) tuner_.Took(waited, CallTuner::Clock::now());
  }

 private:
  bool tuned_;
  CallTuner tuner_;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PARALLELISM_H_
