#include "benchmarks/measurement/phase_clock.h"

#include <algorithm>
#include <string>
#include <utility>

#include "reference/base/check.h"
#include "reference/device/device_timer.h"

namespace lockstep::benchmarks {
namespace {

class HostPhaseClock final : public PhaseClock {
 public:
  std::vector<StepTimes> Take() override { return std::exchange(steps_, {}); }

 protected:
  void DoStart(TraceClock::time_point now) override { step_ = {now}; }

  void DoMark(size_t index, double seconds) override {
    step_.seconds[index] = seconds;
    if (index + 1 == kMarkedPhases.size()) steps_.push_back(step_);
  }

 private:
  StepTimes step_;
  std::vector<StepTimes> steps_;
};

class DevicePhaseClock final : public PhaseClock {
 public:
  explicit DevicePhaseClock(Device& device)
      : timer_(gpu::MakeDeviceTimer(device, kMarkedPhases.size())) {}

  std::vector<StepTimes> Take() override {
    std::vector<StepTimes> steps;
    for (const DeviceTimer::Row& row : timer_->TakeReached()) {
      StepTimes step{row.start};
      std::ranges::copy(row.seconds, step.seconds.begin());
      steps.push_back(step);
    }
    return steps;
  }

 protected:
  void DoStart(TraceClock::time_point) override { timer_->Begin(); }
  void DoMark(size_t, double) override { timer_->Mark(); }

 private:
  const std::unique_ptr<DeviceTimer> timer_;
};

}  // namespace

void PhaseClock::Start() {
  last_ = TraceClock::now();
  next_ = 0;
  DoStart(last_);
}

void PhaseClock::Mark(Phase phase) {
  LOCKSTEP_CHECK(next_ < kMarkedPhases.size() && kMarkedPhases[next_] == phase);
  const TraceClock::time_point now = TraceClock::now();
  DoMark(next_++, std::chrono::duration<double>(now - last_).count());
  if (TraceTrack* track = TraceTrack::Current()) {
    track->Add({std::string(PhaseKey(phase)), "phase", last_, now});
  }
  last_ = now;
}

std::unique_ptr<PhaseClock> MakePhaseClock(Device& device) {
  if (device.kind() == DeviceKind::kCpu) {
    return std::make_unique<HostPhaseClock>();
  }
  return std::make_unique<DevicePhaseClock>(device);
}

}  // namespace lockstep::benchmarks
