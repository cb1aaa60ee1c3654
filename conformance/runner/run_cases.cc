#include "conformance/runner/run_cases.h"

#include <algorithm>

#include "conformance/runner/judge.h"

namespace lockstep {
namespace {

void Amend(std::vector<CaseResult>& results, Testee& testee,
           const RunCaseOptions& options) {
  for (LateProblem& problem : testee.TakeLateProblems()) {
    // The newest first.
    const auto spoilt = std::find_if(
        results.rbegin(), results.rend(), [&](const CaseResult& result) {
          return result.conformance_case->id == problem.case_id;
        });
    if (spoilt == results.rend()) continue;
    RunResult& run = spoilt->runs.back();
    run.answer = std::move(problem.answer);
    run.verdict = VerdictOf(run.answer, run.findings, options.judge_observed);
    spoilt->verdict = std::max(spoilt->verdict, run.verdict);
  }
}

// False: somebody asked the run to end before the testee had answered.
bool Start(Testee& testee) {
  try {
    testee.Start();
    return true;
  } catch (const Interrupted&) {
    return false;
  }
}

}  // namespace

bool RunCases(const std::vector<const Case*>& cases, Testee& testee,
              const RunCaseOptions& options,
              const std::function<void(const CaseResult&)>& on_result,
              const std::function<bool()>& stop) {
  if (!Start(testee)) return false;
  std::vector<CaseResult> open;  // may still be spoilt
  size_t asked = 0;
  for (; asked < cases.size() && !(stop && stop()); ++asked) {
    try {
      open.push_back(RunCase(*cases[asked], testee, options));
    } catch (const Interrupted&) {
      break;
    }
    Amend(open, testee, options);
    if (open.size() < 2) continue;
    on_result(open.front());
    open.erase(open.begin());
  }
  testee.Stop();
  Amend(open, testee, options);
  for (const CaseResult& result : open) on_result(result);
  return asked == cases.size();
}

}  // namespace lockstep
