// Times of the same work by different libraries, side by side.
//
//   #  own (us)  other (us)  own/other  entry
//         10.00       12.50      0.800  Softmax/.../by:cudnn
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_RATIO_TABLE_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_RATIO_TABLE_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::benchmarks {

struct EntrySamples {
  std::string name = {};             // ends in "/by:" and a word
  std::vector<double> seconds = {};  // of one run; one sample a repetition
  std::string error = {};            // why there is no sample, or not all
};

// A line for each entry that is not by:own, in their order, with the medians;
// "-" where one of the two has no sample. Then how many pairs there are, and in
// how many of them own is the slower one.
std::string RatioTable(const std::vector<EntrySamples>& entries);

// Keeps what Google Benchmark measured, for the table of ratios.
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

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_RATIO_TABLE_H_
