// The results of a run for programs and for people.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_REPORT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/runner/sources.h"
#include "conformance/runner/verdict.h"

namespace lockstep {

using VerdictCounts = std::map<Verdict, int>;

VerdictCounts CountVerdicts(const std::vector<CaseResult>& results);

// "313 passed, 2 unsupported, 1 failed, 0 errored, ...": every verdict.
std::string Summary(const std::vector<CaseResult>& results);

// {"format": 1, "testee": ..., "summary": {"passed": ...}, "cases": [...]}: a
// case with its id, level, states, cites and verdict, and for each run what was
// given, what was observed and which expectations do not hold.
Json ToJson(const std::vector<CaseResult>& results, const std::string& testee);

// A table of topics by verdict, then each case that did not pass.
std::string ToMarkdown(const std::vector<CaseResult>& results,
                       const std::string& testee, const Sources& sources);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_REPORT_H_
