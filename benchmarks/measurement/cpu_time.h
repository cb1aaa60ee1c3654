// Processor time, which other programs on the machine change little.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_CPU_TIME_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_CPU_TIME_H_

namespace lockstep::benchmarks {

// Seconds that all threads of the process together have used so far.
double ProcessCpuSeconds();

// Seconds that the calling thread has used so far.
double ThreadCpuSeconds();

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_CPU_TIME_H_
