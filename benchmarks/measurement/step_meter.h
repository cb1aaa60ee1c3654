// Times and counts the steps of a training loop, and traces a few of them.
//
//   StepMeter meter(strategy.devices(), {.warmup_steps = 20});
//   meter.BeginStep();
//   ... wait for the batch ...
//   meter.InputIsThere();
//   ... every replica marks its phases on meter.clock(replica) ...
//   meter.EndStep(items);
//
// The meter waits for GPUs at the end of each block of steps and of each epoch,
// and after each step that does not count; otherwise the loop may run ahead.
// The first steps are warm-up and do not count. With a trace, neither do the
// next kTracedSteps, which it shows.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_STEP_METER_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_STEP_METER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/measurement/cpu_time.h"
#include "benchmarks/measurement/phase_clock.h"
#include "benchmarks/measurement/training_result.h"
#include "reference/base/trace_events.h"
#include "reference/device/device.h"

namespace lockstep::benchmarks {

struct StepMeterOptions {
  int warmup_steps = 0;
  int steps_per_block = 1;
  bool trace = false;
  // Keeps the times of every step. REQUIRES: CPUs, since a loop that runs ahead
  // of a GPU sees when a step was queued.
  bool each_step = false;
};

class StepMeter {
 public:
  static constexpr int kTracedSteps = 3;

  // One replica on each device. REQUIRES: devices of one kind.
  StepMeter(const std::vector<Device*>& devices,
            const StepMeterOptions& options);

  // On the loop's thread, while no replica runs.
  void BeginStep();
  void InputIsThere();
  // Of all threads, since the step began. REQUIRES: each step is kept.
  double StepCpuSeconds();
  void EndStep(int64_t items);
  void EndEpoch();

  // On the replica's thread.
  PhaseClock& clock(int replica) { return *replicas_[replica].clock; }
  // For the replica's spans in this step; nullptr where it is not traced.
  TraceTrack* track(int replica);

  // Fills in steps, blocks, breakdown, each step where that is kept, on CPUs
  // the all-reduce of each step and, for GPUs, memory.
  void Describe(TrainingResult& result) const;
  // A track for each replica, then one for each GPU's stream.
  TraceProcess Trace(const std::string& name) const;

 private:
  struct Replica {
    Device* device;
    std::unique_ptr<PhaseClock> clock;
    std::array<double, kMarkedPhases.size()> seconds{};  // of counted steps
    int64_t steps = 0;
    std::vector<double> reduce_ms = {};  // on a CPU, of each counted step
    TraceTrack track = {};
    TraceTrack stream = {};
  };

  bool OnGpus() const;
  bool Counts() const { return steps_seen_ >= uncounted_steps_; }
  bool IsTraced() const;
  void Drain();
  void Take(Replica& replica);
  void CountStep(int64_t items, double seconds);
  void KeepStep(double seconds);
  std::array<double, kMarkedPhases.size()> SlowestMilliseconds() const;
  std::vector<double> ShortestReduces() const;
  PhaseTimes Breakdown() const;
  MemoryUse MemoryInUse() const;

  const StepMeterOptions options_;
  const int64_t uncounted_steps_;
  std::vector<Replica> replicas_;
  int64_t steps_seen_ = 0;              // whole ones
  int64_t steps_ = 0;                   // counted ones
  std::optional<ProcessCpuClock> cpu_;  // where each step is kept
  double begin_cpu_ = 0;
  TraceClock::time_point begin_;
  TraceClock::time_point input_there_;
  double input_seconds_ = 0;
  double step_seconds_ = 0;
  int64_t block_items_ = 0;
  double block_seconds_ = 0;
  std::vector<double> blocks_;
  StepSamples each_step_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_STEP_METER_H_
