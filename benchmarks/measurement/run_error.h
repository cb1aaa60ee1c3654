// The error of a run of Google Benchmark, whose field has another name in each of
// Debian's versions.
//
//   for (const Run& run : runs) {
//     if (const std::string error = ErrorOf(run); !error.empty()) ...
//   }
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_RUN_ERROR_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_RUN_ERROR_H_

#include <string>

namespace lockstep::benchmarks {

// What SkipWithError was given; empty if the run had no error.
// REQUIRES: Run is benchmark::BenchmarkReporter::Run.
template <typename Run>
std::string ErrorOf(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {  // 1.7
    return run.error_occurred ? run.error_message : "";
  } else {
    using Skipped = decltype(run.skipped);
    return run.skipped == Skipped::SkippedWithError ? run.skip_message : "";
  }
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_RUN_ERROR_H_
