#include "conformance/runner/run_cases.h"

#include <algorithm>
#include <ranges>

#include "conformance/runner/judge.h"

namespace lockstep {
namespace {

void Amend(std::vector<CaseResult>& results, Testee& testee,
           const RunCaseOptions& options) {
  for (LateProblem& problem : testee.TakeLateProblems()) {
    const auto newest_first = results | std::views::reverse;
    const auto spoilt =
        std::ranges::find(newest_first, problem.case_id,
                          [](const CaseResult& result) -> const std::string& {
                            return result.conformance_case->id;
                          });
    if (spoilt == newest_first.end()) continue;
    RunResult& run = spoilt->runs.back();
    run.answer = std::move(problem.answer);
    run.verdict = VerdictOf(run.answer, run.findings, options.judge_observed);
    spoilt->verdict = std::max(spoilt->verdict, run.verdict);
  }
}

}  // namespace

std::vector<CaseResult> RunCases(
    const std::vector<const Case*>& cases, Testee& testee,
    const RunCaseOptions& options,
    const std::function<void(const CaseResult&)>& on_result) {
  testee.Start();
  std::vector<CaseResult> results;
  for (const Case* conformance_case : cases) {
    results.push_back(RunCase(*conformance_case, testee, options));
    Amend(results, testee, options);
    if (results.size() > 1) on_result(results[results.size() - 2]);
  }
  testee.Stop();
  Amend(results, testee, options);
  if (!results.empty()) on_result(results.back());
  return results;
}

}  // namespace lockstep
