#include "conformance/runner/commands/run_suite.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <span>
#include <utility>

#include "conformance/runner/answers/judge_answers.h"
#include "conformance/runner/output/unsupported_groups.h"
#include "conformance/runner/verdicts/explain.h"
#include "reference/base/terminal.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

class SuiteRun {
 public:
  SuiteRun(const RunSuiteOptions& options, size_t case_count,
           SuiteResult& suite)
      : options_(options),
        suite_(suite),
        bar_(static_cast<int64_t>(case_count), "cases") {}

  // Adds a final result. Repetitions of a case come one after another.
  void Take(CaseResult result) {
    bar_.Advance(1);
    const std::string& id = result.conformance_case->id;
    if (!suite_.records.empty() && suite_.records.back().id() == id) {
      suite_.records.back().Add(std::move(result));
      return;
    }
    ReportLast();
    suite_.records.emplace_back(std::move(result));
  }

  // Prints the last record, which is complete now.
  void ReportLast() {
    if (suite_.records.empty()) return;
    const CaseRecord& record = suite_.records.back();
    const std::string text = Describe(record);
    if (text.empty()) return;
    bar_.Clear();
    std::cout << text << std::flush;
  }

 private:
  std::string Describe(const CaseRecord& record) const {
    const CaseResult& result = record.result();
    const std::vector<Unexpected> unexpected = ProblemsOf(record);
    if (!options_.verbose && IsOnlyUnsupported(result, unexpected)) return "";
    const bool is_listed = suite_.deviations.FindFor(result).has_value();
    if (!unexpected.empty() || (!is_listed && !result.matches)) {
      return ExplainResult(result, options_.sources,
                           RerunCommand(suite_.settings, record.id()),
                           ExplainCommand(suite_.settings, record.id())) +
             (is_listed ? ""
                        : options_.same_answers.Describe(result, suite_.name));
    }
    if (!options_.verbose) return "";
    return fmt::format("{}: {}{}\n", record.id(), VerdictName(result.verdict),
                       is_listed ? ", as listed" : "");
  }

  // Those of the case itself: mistakes of the list come once, at the end.
  std::vector<Unexpected> ProblemsOf(const CaseRecord& record) const {
    std::vector<Unexpected> problems = suite_.Check(
        std::span(&record, 1), {.all = {record.id()}, .is_partial = true});
    std::erase_if(problems, [&](const Unexpected& problem) {
      return problem.subject != record.id();
    });
    return problems;
  }

  const RunSuiteOptions& options_;
  SuiteResult& suite_;
  ProgressBar bar_;
};

std::vector<const Case*> Repeat(const std::vector<const Case*>& cases,
                                int times) {
  std::vector<const Case*> repeated;
  for (const Case* conformance_case : cases) {
    repeated.insert(repeated.end(), times, conformance_case);
  }
  return repeated;
}

}  // namespace

void RunSuite(const std::vector<const Case*>& cases, const TesteePool& testees,
              const RunSuiteOptions& options, SuiteResult& suite) {
  suite.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                              fmt::gmtime(std::chrono::system_clock::to_time_t(
                                  std::chrono::system_clock::now())));
  const Clock::time_point start = Clock::now();
  const std::vector<const Case*> repeated =
      Repeat(cases, suite.settings.repeat);
  SuiteRun run(options, repeated.size(), suite);
  suite.complete = RunCases(
      repeated, testees, suite.dialect,
      [&](CaseResult result) { run.Take(std::move(result)); },
      options.interrupted);
  run.ReportLast();
  suite.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

void JudgeSuite(const std::vector<const Case*>& cases, const AnswerStore& store,
                const Provenance& now, const RunSuiteOptions& options,
                SuiteResult& suite) {
  const Clock::time_point start = Clock::now();
  for (const Provenance& recording : store.recordings) {
    suite.started = std::max(suite.started, recording.date);
  }
  JudgedAnswers judged = JudgeAnswers(cases, store, suite.dialect, now);
  suite.not_answered = std::move(judged.not_answered);
  suite.outdated = std::move(judged.outdated);
  SuiteRun run(options, judged.results.size(), suite);
  for (CaseResult& result : judged.results) run.Take(std::move(result));
  run.ReportLast();
  suite.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace lockstep
