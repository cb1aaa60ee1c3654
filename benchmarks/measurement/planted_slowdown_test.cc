#include "benchmarks/measurement/planted_slowdown.h"

#include <gtest/gtest.h>

#include "benchmarks/measurement/cpu_time.h"

namespace lockstep::benchmarks {
namespace {

using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

struct Times {
  double wall;
  double cpu;
};

Times SecondsOf(const PlantedSlowdown& slowdown, double step_cpu = 0) {
  const Clock::time_point start = Clock::now();
  const double cpu = ThreadCpuSeconds();
  Spend(slowdown, step_cpu);
  return {std::chrono::duration<double>(Clock::now() - start).count(),
          ThreadCpuSeconds() - cpu};
}

TEST(PlantedSlowdownTest, WorkIsProcessorTime) {
  const Times times = SecondsOf({.work = 20ms});
  EXPECT_GE(times.cpu, 0.020);
  EXPECT_LT(times.cpu, 0.030);
  EXPECT_GE(times.wall, 0.0199);  // two clocks
}

TEST(PlantedSlowdownTest, AWaitIsNone) {
  const Times times = SecondsOf({.wait = 50ms});
  EXPECT_GE(times.wall, 0.050);
  EXPECT_LT(times.cpu, 0.025);
}

TEST(PlantedSlowdownTest, AShareIsOfTheStepsProcessorTime) {
  const double cpu = SecondsOf({.share = 0.1}, 0.2).cpu;
  EXPECT_GE(cpu, 0.020);
  EXPECT_LT(cpu, 0.030);
  EXPECT_GE(SecondsOf({.work = 10ms, .share = 0.1}, 0.2).cpu, 0.030);
}

TEST(PlantedSlowdownTest, BothComeOneAfterTheOther) {
  const Times times = SecondsOf({.work = 20ms, .wait = 20ms});
  EXPECT_GE(times.wall, 0.0399);
  EXPECT_GE(times.cpu, 0.020);
}

TEST(PlantedSlowdownTest, NothingIsPlantedByDefault) {
  EXPECT_LT(SecondsOf({}, 1).cpu, 0.001);
}

}  // namespace
}  // namespace lockstep::benchmarks
