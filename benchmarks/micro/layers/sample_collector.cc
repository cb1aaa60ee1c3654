#include "benchmarks/micro/layers/sample_collector.h"

namespace lockstep::benchmarks {

bool SampleCollector::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void SampleCollector::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    EntrySamples& entry = entries_[run.family_index];
    entry.name = run.run_name.function_name;
    if (run.error_occurred) {
      entry.error = run.error_message;
    } else {
      entry.seconds.push_back(run.real_accumulated_time /
                              static_cast<double>(run.iterations));
    }
  }
}

std::vector<EntrySamples> SampleCollector::entries() const {
  std::vector<EntrySamples> list;
  for (const auto& [index, entry] : entries_) list.push_back(entry);
  return list;
}

}  // namespace lockstep::benchmarks
