// A slowdown on purpose, for tests of whatever is to find one.
//
//   const PlantedSlowdown slowdown{.work = 240us};
//   Spend(slowdown);      // in each step, on the loop's thread
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_PLANTED_SLOWDOWN_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_PLANTED_SLOWDOWN_H_

#include <chrono>

namespace lockstep::benchmarks {

struct PlantedSlowdown {
  std::chrono::microseconds work{
      0};  // processor time, at least and hardly more
  std::chrono::microseconds wait{0};  // asleep, at least
};

// Works and waits so long on the calling thread.
void Spend(const PlantedSlowdown& slowdown);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_PLANTED_SLOWDOWN_H_
