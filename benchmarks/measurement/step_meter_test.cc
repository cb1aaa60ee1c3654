#include "benchmarks/measurement/step_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/measurement/cpu_time.h"
#include "benchmarks/measurement/fake_timers.h"
#include "benchmarks/measurement/library_time.h"
#include "benchmarks/measurement/phase_clock.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/log.h"
#include "reference/device/fake_gpu.h"
#include "reference/device/kernel_scope.h"

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

TEST(PhaseClockTest, OnAGpuPhasesAreThoseOfItsStream) {
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
  EXPECT_EQ(gpu.transfers(), 0);  // the host did not wait for the GPU
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

using std::chrono::milliseconds;
using testing::ElementsAre;

// One step of all replicas, as a training loop makes it.
void Step(StepMeter& meter, int replicas, int64_t images) {
  meter.BeginStep();
  meter.InputIsThere();
  for (int replica = 0; replica < replicas; ++replica) {
    const TraceScope scope(meter.track(replica));
    PhaseClock& clock = meter.clock(replica);
    clock.Start();
    for (const Phase phase : kMarkedPhases) {
      const TraceSpan operation("operation", "layer");
      clock.Mark(phase);
    }
  }
  meter.EndStep(images);
}

TrainingResult Describe(const StepMeter& meter) {
  TrainingResult result;
  meter.Describe(result);
  return result;
}

std::optional<double> Of(const TrainingResult& result, Phase phase) {
  return result.phase_ms[static_cast<size_t>(phase)];
}

TEST(StepMeterTest, WarmUpDoesNotCountAndBlocksAreWhole) {
  StepMeter meter({&Device::Host()}, {.warmup_steps = 2, .steps_per_block = 2});
  for (int step = 0; step < 7; ++step) Step(meter, 1, 64);
  meter.EndEpoch();
  const TrainingResult result = Describe(meter);
  EXPECT_EQ(result.steps, 5);
  EXPECT_EQ(result.steps_per_block, 2);
  EXPECT_EQ(result.blocks.size(), 2u);
  EXPECT_GT(result.blocks[0], 0);
  EXPECT_FALSE(result.memory);
}

TEST(StepMeterTest, ABlocksTimeIsItsOwn) {
  StepMeter meter({&Device::Host()}, {});
  double passed = 0;  // around the second step
  for (const int pause : {40, 0}) {
    const TraceClock::time_point start = TraceClock::now();
    meter.BeginStep();
    std::this_thread::sleep_for(milliseconds(pause));
    meter.EndStep(64);
    passed = std::chrono::duration<double>(TraceClock::now() - start).count();
  }
  const TrainingResult result = Describe(meter);
  ASSERT_EQ(result.blocks.size(), 2u);
  EXPECT_LE(result.blocks[0], 64 / 0.040);
  EXPECT_GE(result.blocks[1], 64 / passed);
}

void Work(double seconds) {
  const double start = ProcessCpuSeconds();
  while (ProcessCpuSeconds() < start + seconds) {
  }
}

TEST(StepMeterTest, EachStepHasWallAndCpuTimeWarmUpIncluded) {
  StepMeter meter({&Device::Host()}, {.warmup_steps = 1, .each_step = true});
  for (const int pause : {30, 0, 0}) {
    std::this_thread::sleep_for(milliseconds(5));  // between steps
    meter.BeginStep();
    std::this_thread::sleep_for(milliseconds(pause));
    if (pause == 0) Work(0.020);
    meter.EndStep(64);
  }
  const TrainingResult result = Describe(meter);
  EXPECT_EQ(result.steps, 2);
  ASSERT_TRUE(result.step_ms);
  const auto& [wall, cpu] = *result.step_ms;
  ASSERT_EQ(wall.size(), 3u);
  ASSERT_EQ(cpu.size(), 3u);
  EXPECT_GE(wall[0], 30);
  EXPECT_LT(cpu[0], 15);
  for (const int step : {1, 2}) {
    EXPECT_GE(wall[step], 20 - 0.1);  // two clocks
    EXPECT_GE(cpu[step], 20);
    // The block is this step alone.
    EXPECT_NEAR(wall[step], 64e3 / result.blocks[step - 1], 1e-6);
  }
}

TEST(StepMeterTest, StepsAreNotKeptByDefault) {
  StepMeter meter({&Device::Host()}, {});
  Step(meter, 1, 64);
  EXPECT_FALSE(Describe(meter).step_ms);
}

TEST(StepMeterTest, StepsThatAreOnlyQueuedHaveNoTimes) {
  const FakeTimers timers;
  FakeGpu gpu;
  EXPECT_EQ(CodeOf([&] { StepMeter({&gpu.device()}, {.each_step = true}); }),
            Code::kInternal);
}

TEST(StepMeterTest, OnCpusThePhasesAddUpToTheStep) {
  StepMeter meter({&Device::Host()}, {});
  const TraceClock::time_point start = TraceClock::now();
  for (int step = 0; step < 2; ++step) {
    meter.BeginStep();
    std::this_thread::sleep_for(milliseconds(8));
    meter.InputIsThere();
    PhaseClock& clock = meter.clock(0);
    clock.Start();
    for (const Phase phase : kMarkedPhases) {
      if (phase == Phase::kBackward)
        std::this_thread::sleep_for(milliseconds(4));
      clock.Mark(phase);
    }
    meter.EndStep(64);
  }
  const double passed =
      std::chrono::duration<double, std::milli>(TraceClock::now() - start)
          .count();
  meter.EndEpoch();
  const TrainingResult result = Describe(meter);
  double sum = 0;
  for (const auto& phase : result.phase_ms) {
    ASSERT_TRUE(phase);
    EXPECT_GE(*phase, 0);
    sum += *phase;
  }
  EXPECT_GE(*Of(result, Phase::kInputWait), 8);
  EXPECT_GE(*Of(result, Phase::kBackward), 4);
  EXPECT_LE(2 * sum, passed + 0.1);  // EndEpoch's own time is in the sum
}

// Of each step the all-reduce of the replica that came to it last counts.
TEST(StepMeterTest, OnCpusTheShortestAllReduceOfEachStepIsKept) {
  StepMeter meter({&Device::Host(), &Device::Host()}, {.warmup_steps = 1});
  std::vector<double> passed;  // around the late replica's all-reduce
  for (const int late : {0, 0, 1}) {
    meter.BeginStep();
    meter.InputIsThere();
    for (const int replica : {0, 1}) {
      PhaseClock& clock = meter.clock(replica);
      clock.Start();
      TraceClock::time_point start = TraceClock::now();
      for (const Phase phase : kMarkedPhases) {
        if (phase == Phase::kReduce) {
          std::this_thread::sleep_for(milliseconds(replica == late ? 3 : 30));
        } else if (phase < Phase::kReduce) {
          start = TraceClock::now();
        }
        clock.Mark(phase);
        if (phase == Phase::kReduce && replica == late) {
          passed.push_back(std::chrono::duration<double, std::milli>(
                               TraceClock::now() - start)
                               .count());
        }
      }
    }
    meter.EndStep(128);
  }
  const std::vector<double> reduces = Describe(meter).reduce_ms;
  ASSERT_EQ(reduces.size(), 2u);
  for (const size_t step : {0, 1}) {
    EXPECT_GE(reduces[step], 3);
    EXPECT_LE(reduces[step], passed[step + 1]);
  }
}

TEST(StepMeterTest, OnGpusTheSlowestStreamGivesThePhases) {
  const FakeTimers timers;
  FakeGpu first(0);
  FakeGpu second(1);
  StepMeter meter({&first.device(), &second.device()}, {.steps_per_block = 3});
  for (int step = 0; step < 3; ++step) {
    meter.BeginStep();
    for (const int replica : {0, 1}) {
      PhaseClock& clock = meter.clock(replica);
      // The second GPU has a step more to its stream: its mean is higher.
      for (int queued = 0; queued <= replica; ++queued) {
        clock.Start();
        for (const Phase phase : kMarkedPhases) clock.Mark(phase);
      }
    }
    meter.EndStep(128);
  }
  const TrainingResult result = Describe(meter);
  EXPECT_EQ(Of(result, Phase::kInputWait), std::nullopt);
  // Six steps: phase i of step s took s + i / 8 s, 2.5 + i / 8 in the mean.
  EXPECT_EQ(Of(result, Phase::kForward), 2500);
  EXPECT_EQ(Of(result, Phase::kBackward), 2625);
  EXPECT_EQ(Of(result, Phase::kReduce), 2750);
  EXPECT_EQ(Of(result, Phase::kApply), 2875);
  EXPECT_TRUE(result.reduce_ms.empty());
}

TEST(StepMeterTest, OnGpusMemoryIsThatOfTheFullestDevice) {
  const FakeTimers timers;
  FakeGpu first(0);
  FakeGpu second(1);
  void* held = second.device().pool().Allocate(4096);
  void* freed = second.device().pool().Allocate(8192);
  second.device().pool().Free(freed, 8192);
  StepMeter meter({&first.device(), &second.device()}, {});
  const TrainingResult result = Describe(meter);
  ASSERT_TRUE(result.memory);
  EXPECT_EQ(result.memory->bytes_in_use, 4096);
  EXPECT_EQ(result.memory->peak_bytes, 4096 + 8192);
  second.device().pool().Free(held, 4096);
}

std::vector<std::string> NamesOf(const TraceProcess::Track& track) {
  std::vector<std::string> names;
  for (const CompletedSpan& span : track.spans) names.push_back(span.name);
  return names;
}

TEST(StepMeterTest, TracesTheStepsAfterTheWarmUpAndCountsTheNextOnes) {
  StepMeter meter({&Device::Host()}, {.warmup_steps = 2, .trace = true});
  for (int step = 0; step < 6; ++step) Step(meter, 1, 64);
  EXPECT_EQ(Describe(meter).steps, 1);
  const TraceProcess trace = meter.Trace("a run");
  EXPECT_EQ(trace.name, "a run");
  ASSERT_EQ(trace.tracks.size(), 1u);
  EXPECT_EQ(trace.tracks[0].name, "replica 0 (CPU:0)");
  const std::vector<std::string> names = NamesOf(trace.tracks[0]);
  EXPECT_EQ(std::ranges::count(names, "step"), StepMeter::kTracedSteps);
  EXPECT_EQ(std::ranges::count(names, "input_wait"), StepMeter::kTracedSteps);
  EXPECT_EQ(std::ranges::count(names, "forward"), StepMeter::kTracedSteps);
}

TEST(StepMeterTest, AGpusStreamHasATrackOfItsOwn) {
  const FakeTimers timers;
  FakeGpu gpu;
  StepMeter meter({&gpu.device()}, {.trace = true});
  Step(meter, 1, 64);
  const TraceProcess trace = meter.Trace("a run");
  ASSERT_EQ(trace.tracks.size(), 2u);
  EXPECT_EQ(trace.tracks[1].name, "GPU:0 stream");
  EXPECT_THAT(NamesOf(trace.tracks[1]),
              ElementsAre("forward", "backward", "reduce", "apply", "other"));
  // The fake's first step: phase i takes i / 8 s.
  const std::vector<CompletedSpan>& spans = trace.tracks[1].spans;
  EXPECT_EQ(spans[0].start.time_since_epoch(), std::chrono::seconds(0));
  EXPECT_EQ(spans[2].start.time_since_epoch(), milliseconds(125));
  EXPECT_EQ(spans[2].end.time_since_epoch(), milliseconds(375));
}

TEST(StepMeterTest, NothingIsTracedByDefault) {
  StepMeter meter({&Device::Host()}, {});
  for (int step = 0; step < 3; ++step) {
    meter.BeginStep();
    EXPECT_EQ(meter.track(0), nullptr);
    meter.EndStep(64);
  }
  EXPECT_TRUE(meter.Trace("a run").tracks[0].spans.empty());
}

class LibraryTimeTest : public testing::Test {
 protected:
  // A call that takes so long.
  LibraryCall Call(const std::string& name, double seconds) {
    return {name, [this, seconds]() -> std::function<void()> {
              ++prepared_;
              return [this, seconds, held = std::make_shared<Held>(*this)] {
                FakeGpu::StreamOf(gpu_.device()).Submit([this, seconds] {
                  timers_.Count(seconds);
                });
              };
            }};
  }

  struct Held {
    explicit Held(LibraryTimeTest& test) : test(test) {
      EXPECT_EQ(++test.held_, 1);
    }
    ~Held() { --test.held_; }
    LibraryTimeTest& test;
  };

  FakeGpu gpu_;
  CountingTimers timers_;
  int prepared_ = 0;
  int held_ = 0;  // the memory of so many calls
};

TEST_F(LibraryTimeTest, EachCallIsTimedAloneAndCountsAsOftenAsItWasMade) {
  LibraryCalls calls;
  for (const auto& [name, seconds] :
       {std::pair{"first", 0.25}, {"second", 0.5}, {"first", 0.25}}) {
    calls.Add(Call(name, seconds));
  }
  const LogCapture log;
  const LibraryTime time = TimeLibraryCalls(gpu_.device(), calls);
  EXPECT_EQ(log.lines(),
            (std::vector<std::string>{"I [LibraryTime] 250000.0 us: first",
                                      "I [LibraryTime] 500000.0 us: second"}));
  EXPECT_EQ(time.calls, 3);
  EXPECT_DOUBLE_EQ(time.milliseconds, 1000.0);
  EXPECT_EQ(prepared_, 2);
  EXPECT_EQ(held_, 0);
}

TEST_F(LibraryTimeTest, NoCallsTakeNoTime) {
  const LibraryTime time = TimeLibraryCalls(gpu_.device(), {});
  EXPECT_EQ(time.calls, 0);
  EXPECT_EQ(time.milliseconds, 0);
}

}  // namespace
}  // namespace lockstep::benchmarks
