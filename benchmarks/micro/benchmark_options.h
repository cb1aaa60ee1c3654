// The options and the main function of programs that use Google Benchmark.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_BENCHMARK_OPTIONS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_BENCHMARK_OPTIONS_H_

#include <functional>
#include <string>
#include <vector>

namespace lockstep::benchmarks {

// Reads `defaults`, then the caller's options, which win: words such as
// "--benchmark_repetitions=5". False, with a message, for an unknown one.
bool ReadBenchmarkOptions(const std::vector<std::string>& defaults, int argc,
                          char** argv);

// The machine, its libraries and the commit, into the result's context.
void AddMachineContext();

// The body of a plain main function: reads the options, calls `register_all`
// and runs the benchmarks. Returns the exit status.
int RunBenchmarks(int argc, char** argv,
                  const std::function<void()>& register_all);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_BENCHMARK_OPTIONS_H_
