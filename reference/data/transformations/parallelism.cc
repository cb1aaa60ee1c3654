#include "reference/data/transformations/parallelism.h"

#include <algorithm>
#include <thread>

#include "reference/base/error.h"
#include "reference/data/dataset_options.h"

namespace lockstep::data_internal {
namespace {

constexpr int64_t kLeastElementsOfRound = 16;
constexpr std::chrono::milliseconds kLeastTimeOfRound(50);
constexpr int kRoundsOfRest = 10;
constexpr int64_t kMostTunedCalls = 64;

constexpr std::chrono::microseconds kHandOverTime(10);
constexpr int kElementsOfGauge = 64;
constexpr int kMostSlow = 8;

CallTuner TunerFor(int64_t calls, int64_t most) {
  most = std::min(most, kMostParallelCalls);
  if (calls != kAutotune) return {std::min(calls, most), most};
  most = std::min(most, kMostTunedCalls);
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return {std::min(cores, most), most};
}

}  // namespace

void CheckParallelCalls(std::string_view operation, int64_t calls) {
  if (calls >= 0 || calls == kAutotune) return;
  throw InvalidArgument(
      "[{}] num_parallel_calls must be kAutotune or not negative, got {}",
      operation, calls);
}

void CallTuner::Took(Clock::duration waited, Clock::time_point now) {
  if (most_ == 1) return;
  if (taken_++ < 0) {
    start_ = now;
    waited_ = {};
    return;
  }
  waited_ += waited;
  if (taken_ < std::max(kLeastElementsOfRound, 4 * calls_)) return;
  if (now - start_ < kLeastTimeOfRound) return;
  EndRound(std::chrono::duration<double>(now - start_).count());
  taken_ = 0;
  start_ = now;
  waited_ = {};
}

void CallTuner::EndRound(double seconds) {
  const double rate = static_cast<double>(taken_) / std::max(seconds, 1e-9);
  if (rate_before_ > 0 && rate < 1.1 * rate_before_) {
    calls_ = std::max<int64_t>(1, calls_ / 2);
    rate_before_ = 0;
    rest_ = kRoundsOfRest;
    return;
  }
  rate_before_ = 0;
  if (rest_ > 0) {
    --rest_;
    return;
  }
  const double waited = std::chrono::duration<double>(waited_).count();
  if (waited <= seconds / 10 || calls_ * 2 > most_) return;
  rate_before_ = rate;
  calls_ *= 2;
}

void LightGauge::Took(Clock::duration time) {
  ++taken_;
  if (time >= kHandOverTime) ++slow_;
  if (slow_ <= kMostSlow && taken_ < kElementsOfGauge) return;
  weight_ = slow_ <= kMostSlow ? Weight::kLight : Weight::kHeavy;
  taken_ = slow_ = 0;
}

CallLimit::CallLimit(int64_t calls, int64_t most)
    : tuned_(calls == kAutotune), tuner_(TunerFor(calls, most)) {}

}  // namespace lockstep::data_internal
