#include "conformance/runner/output/suite_result.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {

bool SuiteResult::IsUnexpected(const std::string& case_id) const {
  return std::ranges::find(unexpected, case_id, &Unexpected::subject) !=
         unexpected.end();
}

std::string TopicOf(const std::string& case_id) {
  return case_id.substr(0, case_id.rfind('/'));
}

double SecondsOf(const CaseResult& result) {
  double seconds = 0;
  for (const RunResult& run : result.runs) seconds += run.seconds;
  return seconds;
}

VerdictCounts CountVerdicts(const std::vector<CaseRecord>& records) {
  VerdictCounts counts;
  for (Verdict verdict : kVerdicts) counts[verdict] = 0;
  for (const CaseRecord& record : records) ++counts[record.result().verdict];
  return counts;
}

std::string Summary(const std::vector<CaseRecord>& records) {
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : CountVerdicts(records)) {
    parts.push_back(fmt::format("{} {}", count, VerdictName(verdict)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lockstep
