// Keeps what Google Benchmark measured, for the table of ratios.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_SAMPLE_COLLECTOR_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_SAMPLE_COLLECTOR_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <vector>

#include "benchmarks/micro/layers/ratio_table.h"

namespace lockstep::benchmarks {

// One sample a repetition: the seconds of one iteration. Prints the machine to
// the error stream, and nothing else.
class SampleCollector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

  // In the order in which they were registered, whatever that of the runs.
  std::vector<EntrySamples> entries() const;

 private:
  std::map<int64_t, EntrySamples> entries_;  // by the family's index
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_SAMPLE_COLLECTOR_H_
