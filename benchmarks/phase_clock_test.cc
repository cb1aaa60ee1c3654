#include "benchmarks/phase_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "benchmarks/fake_timers.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/device/fake_gpu.h"

namespace lockstep::benchmarks {
namespace {

using std::chrono::milliseconds;

void Step(PhaseClock& clock, const std::function<void(Phase)>& work) {
  clock.Start();
  for (const Phase phase : kMarkedPhases) {
    work(phase);
    clock.Mark(phase);
  }
}

TEST(PhaseClockTest, OnACpuPhasesAreTheHostsTime) {
  const auto clock = MakePhaseClock(Device::Host());
  const TraceClock::time_point before = TraceClock::now();
  Step(*clock, [](Phase phase) {
    if (phase == Phase::kReduce) std::this_thread::sleep_for(milliseconds(20));
  });
  Step(*clock, [](Phase) {});
  const double passed =
      std::chrono::duration<double>(TraceClock::now() - before).count();
  const std::vector<StepTimes> steps = clock->Take();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_GE(steps[0].start, before);
  EXPECT_GE(steps[0].seconds[2], 0.020);
  double sum = 0;
  for (const StepTimes& step : steps) {
    for (const double seconds : step.seconds) sum += seconds;
  }
  EXPECT_LE(sum, passed);
  EXPECT_TRUE(clock->Take().empty());
}

TEST(PhaseClockTest, OnAGpuPhasesAreThoseOfItsQueue) {
  const FakeTimers timers;
  FakeGpu gpu;
  const auto clock = MakePhaseClock(gpu.device());
  for (int step = 0; step < 2; ++step) Step(*clock, [](Phase) {});
  const std::vector<StepTimes> steps = clock->Take();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].start.time_since_epoch(), std::chrono::seconds(1));
  EXPECT_EQ(steps[0].seconds,
            (std::array<double, 5>{0, 0.125, 0.25, 0.375, 0.5}));
  EXPECT_EQ(steps[1].seconds,
            (std::array<double, 5>{1, 1.125, 1.25, 1.375, 1.5}));
  EXPECT_EQ(gpu.transfers(), 0);  // nobody waited for the GPU
}

TEST(PhaseClockTest, AProgramWithoutTheBackendSaysSo) {
  FakeGpu gpu;
  EXPECT_EQ(CodeOf([&] { MakePhaseClock(gpu.device()); }),
            Code::kUnimplemented);
}

TEST(PhaseClockTest, ATraceGetsASpanAPhase) {
  const auto clock = MakePhaseClock(Device::Host());
  TraceTrack track;
  const TraceScope scope(&track);
  Step(*clock, [](Phase) {});
  ASSERT_EQ(track.spans().size(), kMarkedPhases.size());
  for (size_t i = 0; i < kMarkedPhases.size(); ++i) {
    EXPECT_EQ(track.spans()[i].name, PhaseKey(kMarkedPhases[i]));
    if (i > 0) {
      EXPECT_EQ(track.spans()[i].start, track.spans()[i - 1].end);
    }
  }
}

TEST(PhaseClockTest, PhasesOutOfOrderAreABug) {
  const auto clock = MakePhaseClock(Device::Host());
  clock->Start();
  EXPECT_THROW(clock->Mark(Phase::kApply), Error);
}

}  // namespace
}  // namespace lockstep::benchmarks
