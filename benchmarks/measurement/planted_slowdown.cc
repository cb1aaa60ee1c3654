#include "benchmarks/measurement/planted_slowdown.h"

#include <cstdint>
#include <thread>

#include "benchmarks/measurement/cpu_time.h"

namespace lockstep::benchmarks {
namespace {

// Some microseconds of multiplications that wait for each other, several times
// what reading the clock takes.
uint64_t Multiply(uint64_t value) {
  for (int i = 0; i < 1000; ++i) value = value * 6364136223846793005u + 1;
  return value;
}

void Work(double seconds) {
  const double end = ThreadCpuSeconds() + seconds;
  volatile uint64_t value = 1;  // or nothing would be computed
  while (ThreadCpuSeconds() < end) value = Multiply(value);
}

}  // namespace

void Spend(const PlantedSlowdown& slowdown, double step_cpu) {
  const double work = std::chrono::duration<double>(slowdown.work).count() +
                      slowdown.share * step_cpu;
  if (work > 0) Work(work);
  if (slowdown.wait.count() > 0) std::this_thread::sleep_for(slowdown.wait);
}

}  // namespace lockstep::benchmarks
