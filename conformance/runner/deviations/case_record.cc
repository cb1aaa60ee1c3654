#include "conformance/runner/deviations/case_record.h"

#include <fmt/format.h>

#include "conformance/runner/compare.h"
#include "conformance/runner/deviations/instead.h"

namespace lockstep {
namespace {

// A value that no expectation pins down, such as a random one, may differ.
Json WhatHasToStay(const CaseResult& result) {
  Json holds = Json::array();
  for (const RunResult& run : result.runs) {
    Json of_run = Json::array();
    for (const Finding& finding : run.findings) of_run.push_back(finding.holds);
    holds.push_back(std::move(of_run));
  }
  Json stays = {{"verdict", VerdictName(result.verdict)}};
  if (result.verdict != Verdict::kPassed) {
    stays["instead"] = WhatCameInstead(result);
  }
  stays["holds"] = holds;
  return stays;
}

}  // namespace

CaseRecord::CaseRecord(CaseResult first)
    : first_(WhatHasToStay(first)), worst_(std::move(first)) {}

void CaseRecord::Add(CaseResult repetition) {
  ++repetitions_;
  if (flicker_.empty()) {
    const Difference difference = DiffEquals(first_, WhatHasToStay(repetition));
    if (difference) {
      flicker_ = fmt::format("repetition {} differs from the first: {}",
                             repetitions_, *difference);
    }
  }
  if (repetition.verdict > worst_.verdict) worst_ = std::move(repetition);
}

}  // namespace lockstep
