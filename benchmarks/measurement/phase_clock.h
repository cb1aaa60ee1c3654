// Where the time of one replica's steps goes, phase by phase.
//
//   const auto clock = MakePhaseClock(device);
//   clock->Start();
//   Forward();
//   clock->Mark(Phase::kForward);    // the time since Start or the last Mark
//   ...                              // a mark for each of kMarkedPhases
//   for (const StepTimes& step : clock->Take()) step.seconds[...];
//
// On a CPU phases are timed by the host's clock. On a GPU it is the time in
// the GPU's stream, by events that are queued like the work: no thread
// waits for them.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_PHASE_CLOCK_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_PHASE_CLOCK_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/base/trace.h"
#include "reference/device/device.h"

namespace lockstep::benchmarks {

// The phases of a training step on one replica, in their order.
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

struct StepTimes {
  TraceClock::time_point start;
  std::array<double, kMarkedPhases.size()> seconds{};  // as kMarkedPhases
};

class PhaseClock {
 public:
  virtual ~PhaseClock() = default;

  // On the replica's thread. A trace of the thread gets a span for each phase,
  // from mark to mark as the host sees them.
  void Start();
  // REQUIRES: the phases of a step come in the order of kMarkedPhases.
  void Mark(Phase phase);

  // Whole steps since the last call, in order; on a GPU the newest 64, and of
  // steps that were replayed the last one of each kind. Between steps, when
  // the device has nothing left to do.
  virtual std::vector<StepTimes> Take() = 0;

 protected:
  virtual void DoStart(TraceClock::time_point now) = 0;
  // `seconds` after the start or the last mark, by the host's clock.
  virtual void DoMark(size_t index, double seconds) = 0;

 private:
  TraceClock::time_point last_;
  size_t next_ = 0;  // in kMarkedPhases
};

// The clock for replicas on such a device. Errors: those of the GPU's timer.
std::unique_ptr<PhaseClock> MakePhaseClock(Device& device);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_PHASE_CLOCK_H_
