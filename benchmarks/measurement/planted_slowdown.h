// A deliberate slowdown, for tests of tools that detect slowdowns.
//
//   const PlantedSlowdown slowdown{.work = 240us};
//   Spend(slowdown);               // in each step, on the loop's thread
//   Spend({.share = 0.06}, cpu);   // 6 % of the step's `cpu` seconds so far
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_PLANTED_SLOWDOWN_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_PLANTED_SLOWDOWN_H_

#include <chrono>

namespace lockstep::benchmarks {

struct PlantedSlowdown {
  std::chrono::microseconds work{0};  // CPU time, at least and hardly more
  std::chrono::microseconds wait{0};  // asleep, at least
  double share = 0;                   // more CPU time, as a share of the step's
};

// Works and waits on the calling thread. `step_cpu`: seconds of
// CPU time that the step has used on all threads.
void Spend(const PlantedSlowdown& slowdown, double step_cpu = 0);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_PLANTED_SLOWDOWN_H_
