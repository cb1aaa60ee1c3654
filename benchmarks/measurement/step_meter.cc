#include "benchmarks/measurement/step_meter.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "reference/base/check.h"

namespace lockstep::benchmarks {
namespace {

double Seconds(TraceClock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

constexpr size_t kReduce =
    std::ranges::find(kMarkedPhases, Phase::kReduce) - kMarkedPhases.begin();

// The phases of a step in a GPU's stream, one after the other.
void AddPhases(const StepTimes& step, TraceTrack& stream) {
  double passed = 0;
  TraceClock::time_point start = step.start;
  for (size_t i = 0; i < kMarkedPhases.size(); ++i) {
    passed += step.seconds[i];
    const TraceClock::time_point end =
        step.start + std::chrono::duration_cast<TraceClock::duration>(
                         std::chrono::duration<double>(passed));
    stream.Add({std::string(PhaseKey(kMarkedPhases[i])), "phase", start, end});
    start = end;
  }
}

}  // namespace

StepMeter::StepMeter(const std::vector<Device*>& devices,
                     const StepMeterOptions& options)
    : options_(options),
      uncounted_steps_(options.warmup_steps +
                       (options.trace ? kTracedSteps : 0)) {
  for (Device* device : devices) {
    replicas_.push_back({device, MakePhaseClock(*device)});
  }
  LOCKSTEP_CHECK(!(options.each_step && OnGpus()));
  if (options.each_step) cpu_.emplace();
}

bool StepMeter::OnGpus() const {
  return replicas_[0].device->kind() == DeviceKind::kGpu;
}

bool StepMeter::IsTraced() const {
  return !Counts() && steps_seen_ >= options_.warmup_steps;
}

TraceTrack* StepMeter::track(int replica) {
  return IsTraced() ? &replicas_[replica].track : nullptr;
}

void StepMeter::BeginStep() {
  if (cpu_) begin_cpu_ = cpu_->Seconds();
  begin_ = TraceClock::now();
  input_there_ = begin_;
}

void StepMeter::InputIsThere() { input_there_ = TraceClock::now(); }

double StepMeter::StepCpuSeconds() {
  LOCKSTEP_CHECK(cpu_.has_value());
  return cpu_->Seconds() - begin_cpu_;
}

void StepMeter::EndStep(int64_t items) {
  const bool ends_block = (steps_ + 1) % options_.steps_per_block == 0;
  if (!Counts() || ends_block) Drain();
  const TraceClock::time_point now = TraceClock::now();
  if (cpu_) KeepStep(Seconds(now - begin_));
  if (Counts()) {
    CountStep(items, Seconds(now - begin_));
  } else if (IsTraced()) {
    for (Replica& replica : replicas_) {
      replica.track.Add({"input_wait", "phase", begin_, input_there_});
      replica.track.Add({"step", "step", begin_, now});
    }
  }
  ++steps_seen_;
}

void StepMeter::CountStep(int64_t items, double seconds) {
  ++steps_;
  input_seconds_ += Seconds(input_there_ - begin_);
  step_seconds_ += seconds;
  block_items_ += items;
  block_seconds_ += seconds;
  if (steps_ % options_.steps_per_block != 0) return;
  blocks_.push_back(static_cast<double>(block_items_) / block_seconds_);
  block_items_ = 0;
  block_seconds_ = 0;
}

void StepMeter::KeepStep(double seconds) {
  each_step_.wall.push_back(1000 * seconds);
  each_step_.cpu.push_back(1000 * StepCpuSeconds());
}

// What is still queued belongs to the steps of this epoch.
void StepMeter::EndEpoch() {
  const TraceClock::time_point start = TraceClock::now();
  Drain();
  if (steps_ == 0) return;
  const double seconds = Seconds(TraceClock::now() - start);
  step_seconds_ += seconds;
  if (block_items_ > 0) block_seconds_ += seconds;
}

void StepMeter::Drain() {
  for (Replica& replica : replicas_) {
    if (!replica.device->on_host()) replica.device->memory()->Synchronize();
  }
  for (Replica& replica : replicas_) Take(replica);
}

void StepMeter::Take(Replica& replica) {
  for (const StepTimes& step : replica.clock->Take()) {
    if (IsTraced() && OnGpus()) AddPhases(step, replica.stream);
    if (!Counts()) continue;
    ++replica.steps;
    if (!OnGpus()) replica.reduce_ms.push_back(1000 * step.seconds[kReduce]);
    for (size_t i = 0; i < kMarkedPhases.size(); ++i) {
      replica.seconds[i] += step.seconds[i];
    }
  }
}

// A step's marked phases on the replica that was busy longest, without the time
// after its update.
std::array<double, kMarkedPhases.size()> StepMeter::SlowestMilliseconds()
    const {
  std::array<double, kMarkedPhases.size()> slowest{};
  double longest = -1;
  for (const Replica& replica : replicas_) {
    auto mean = replica.seconds;
    for (double& phase : mean) {
      phase *=
          1000.0 / static_cast<double>(std::max<int64_t>(replica.steps, 1));
    }
    const double busy = std::accumulate(mean.begin(), mean.end() - 1, 0.0);
    if (busy > longest) slowest = mean;
    longest = std::max(longest, busy);
  }
  return slowest;
}

// For each step, that of the replica that came last: it did not wait.
std::vector<double> StepMeter::ShortestReduces() const {
  std::vector<double> shortest = replicas_[0].reduce_ms;
  for (const Replica& replica : replicas_) {
    std::ranges::transform(shortest, replica.reduce_ms, shortest.begin(),
                           [](double a, double b) { return std::min(a, b); });
  }
  return shortest;
}

PhaseTimes StepMeter::Breakdown() const {
  PhaseTimes times{};
  if (steps_ == 0) return times;
  const double scale = 1000.0 / static_cast<double>(steps_);
  double other = scale * step_seconds_;
  const auto set = [&](Phase phase, double milliseconds) {
    times[static_cast<size_t>(phase)] = milliseconds;
    other -= milliseconds;
  };
  // A GPU works while the host waits for its input: no part of the sum.
  if (!OnGpus()) set(Phase::kInputWait, scale * input_seconds_);
  const auto slowest = SlowestMilliseconds();
  for (size_t i = 0; i + 1 < kMarkedPhases.size(); ++i) {
    set(kMarkedPhases[i], slowest[i]);
  }
  times[static_cast<size_t>(Phase::kOther)] = other;
  return times;
}

MemoryUse StepMeter::MemoryInUse() const {
  MemoryUse most;
  for (const Replica& replica : replicas_) {
    const MemoryPool::Statistics use = replica.device->pool().statistics();
    most.bytes_in_use = std::max(most.bytes_in_use, use.bytes_in_use);
    most.peak_bytes = std::max(most.peak_bytes, use.peak_bytes_in_use);
  }
  return most;
}

void StepMeter::Describe(TrainingResult& result) const {
  result.steps = steps_;
  result.steps_per_block = options_.steps_per_block;
  result.blocks = blocks_;
  result.phase_ms = Breakdown();
  result.reduce_ms = ShortestReduces();
  if (options_.each_step) result.step_ms = each_step_;
  if (OnGpus()) result.memory = MemoryInUse();
}

TraceProcess StepMeter::Trace(const std::string& name) const {
  TraceProcess process{.name = name, .tracks = {}};
  int number = 0;
  for (const Replica& replica : replicas_) {
    process.tracks.push_back(
        {fmt::format("replica {} ({})", number++, replica.device->name()),
         replica.track.spans()});
  }
  if (!OnGpus()) return process;
  for (const Replica& replica : replicas_) {
    process.tracks.push_back(
        {replica.device->name() + " stream", replica.stream.spans()});
  }
  return process;
}

}  // namespace lockstep::benchmarks
