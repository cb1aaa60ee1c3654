// CPU time, on which other programs on the machine have little effect.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_CPU_TIME_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_CPU_TIME_H_

#include <time.h>

#include <map>

namespace lockstep::benchmarks {

// Seconds that all threads of the process together have used so far. The last
// milliseconds of a running thread may be missing: negligible over seconds; for
// shorter times use ProcessCpuClock.
double ProcessCpuSeconds();

// Seconds that the calling thread has used so far.
double ThreadCpuSeconds();

// The CPU time of all threads together, to the microsecond.
//
//   ProcessCpuClock clock;
//   const double start = clock.Seconds();
//   ... a step of a millisecond, on several threads ...
//   clock.Seconds() - start;
//
// The kernel's clock of a process counts a thread that runs on another core
// only when the scheduler looks at it, every few milliseconds: a step of one
// seems to use the time of one core, another that of four. A thread's own clock
// is exact, so these are added up, at one to two microseconds a thread.
class ProcessCpuClock {
 public:
  ProcessCpuClock();

  // Never less than before. Threads that began since are found within
  // kReadingsBetweenLooks readings, with all they have used; of one that ended,
  // what it used after the last reading is missing.
  double Seconds();

  static constexpr int kReadingsBetweenLooks = 32;

 private:
  void LookForThreads();

  std::map<clockid_t, double> seconds_;  // a thread's, as last read
  double ended_ = 0;                     // seconds of threads that are gone
  int readings_ = 0;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_CPU_TIME_H_
