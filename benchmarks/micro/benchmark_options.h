// What programs on Google Benchmark have in common.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_BENCHMARK_OPTIONS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_BENCHMARK_OPTIONS_H_

#include <functional>
#include <string>
#include <vector>

namespace lockstep::benchmarks {

// Reads `defaults`, then the caller's options, which win: words such as
// "--benchmark_repetitions=5". False, with a message, for one of no known name.
bool ReadBenchmarkOptions(const std::vector<std::string>& defaults, int argc,
                          char** argv);

// The machine, its libraries and the commit, into the result's context.
void AddMachineContext();

// The body of a main function that has nothing else to do: reads the options,
// has `register_all` say what there is, and runs it. Returns the status.
int RunBenchmarks(int argc, char** argv,
                  const std::function<void()>& register_all);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_BENCHMARK_OPTIONS_H_
