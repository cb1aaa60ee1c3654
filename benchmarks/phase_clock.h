// Where a training step's time goes, phase by phase, on one replica.
//
//   PhaseClock clock;
//   clock.Start();
//   Forward();
//   clock.Mark(Phase::kForward);     // the time since Start or the last Mark
//   clock.Total(Phase::kForward);    // seconds, summed over all steps
#ifndef LOCKSTEP_BENCHMARKS_PHASE_CLOCK_H_
#define LOCKSTEP_BENCHMARKS_PHASE_CLOCK_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace lockstep::benchmarks {

enum class Phase { kInputWait, kForward, kBackward, kReduce, kApply, kOther };
inline constexpr size_t kPhases = 6;

// The phase's key in result files: "input_wait", "forward", ...
constexpr std::string_view PhaseKey(Phase phase) {
  constexpr std::array<std::string_view, kPhases> kKeys = {
      "input_wait", "forward", "backward", "reduce", "apply", "other"};
  return kKeys[static_cast<size_t>(phase)];
}

class PhaseClock {
 public:
  using Time = std::chrono::steady_clock;

  void Start() { last_ = Time::now(); }
  void Mark(Phase phase) {
    const Time::time_point now = Time::now();
    totals_[static_cast<size_t>(phase)] +=
        std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  double Total(Phase phase) const {
    return totals_[static_cast<size_t>(phase)];
  }
  void Reset() { totals_ = {}; }

 private:
  Time::time_point last_ = Time::now();
  std::array<double, kPhases> totals_{};
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_PHASE_CLOCK_H_
