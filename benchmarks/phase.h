// The phases of a training step on one replica, in their order.
#ifndef LOCKSTEP_BENCHMARKS_PHASE_H_
#define LOCKSTEP_BENCHMARKS_PHASE_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace lockstep::benchmarks {

enum class Phase { kInputWait, kForward, kBackward, kReduce, kApply, kOther };
inline constexpr size_t kPhases = 6;

// Those that a replica marks the end of, in this order.
inline constexpr std::array kMarkedPhases = {Phase::kForward, Phase::kBackward,
                                             Phase::kReduce, Phase::kApply,
                                             Phase::kOther};

// The phase's key in result files: "input_wait", "forward", ...
constexpr std::string_view PhaseKey(Phase phase) {
  constexpr std::array<std::string_view, kPhases> kKeys = {
      "input_wait", "forward", "backward", "reduce", "apply", "other"};
  return kKeys[static_cast<size_t>(phase)];
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_PHASE_H_
