#include "conformance/runner/explain.h"

#include <fmt/format.h>

#include <sstream>

#include "conformance/runner/describe_case.h"
#include "conformance/runner/judge.h"
#include "conformance/runner/readable_text.h"

namespace lockstep {
namespace {

// Of any text that a testee may have said.
std::string Line(std::string_view label, const std::string& text) {
  return fmt::format("  {:<10}{}\n", label, ReadableLine(text));
}

// The step that makes an observation, wherever it stands in the program.
const Json* FindObservingStep(const Json& program, const std::string& name) {
  for (const Json& step : program) {
    if (step.value("observe", "") == name) return &step;
    if (!step.contains("program")) continue;
    const Json* found = FindObservingStep(step["program"], name);
    if (found) return found;
  }
  return nullptr;
}

std::string ExplainFinding(const Case& conformance_case,
                           const Finding& finding) {
  const Expectation& expectation = *finding.expectation;
  std::string text;
  const Json* step =
      FindObservingStep(conformance_case.program, expectation.observation);
  if (step) text += Line("step", step->dump());
  text +=
      Line("expected", fmt::format("{} ({})", DescribeExpectation(expectation),
                                   LevelName(expectation.level)));
  if (!finding.observed.is_null()) {
    text += Line("observed", finding.observed.dump());
  }
  text += Line("differs", finding.difference);
  return text;
}

// What the testee wrote to stderr, one line below the other.
std::string StderrLines(const Answer& answer) {
  std::istringstream lines(StderrTailOf(answer));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += Line(text.empty() ? "stderr" : "", line);
  }
  return text;
}

std::string ExplainRun(const Case& conformance_case, const RunResult& run) {
  std::string text = Line("given", run.given.dump());
  if (const auto* failure = std::get_if<Failure>(&run.answer)) {
    text += Line("error", fmt::format("{} in {}: {}", failure->error_class,
                                      failure->at_step, failure->message));
  }
  if (const auto* unsupported = std::get_if<Unsupported>(&run.answer)) {
    return text + Line("lacks", fmt::format("{}: {}", unsupported->step,
                                            unsupported->reason));
  }
  if (VerdictWithoutJudging(run.answer)) {
    return text + Line("answer", DescribeAnswer(run.answer)) +
           StderrLines(run.answer);
  }
  for (const Finding& finding : run.findings) {
    if (!finding.holds) text += ExplainFinding(conformance_case, finding);
  }
  return text;
}

bool AllHold(const RunResult& run) {
  for (const Finding& finding : run.findings) {
    if (!finding.holds) return false;
  }
  return true;
}

}  // namespace

std::string RerunCommand(const std::string& testee,
                         const std::string& case_id) {
  return fmt::format(
      "./bazelw run //conformance:run -- --testee={} --filter={}", testee,
      case_id);
}

std::string ExplainResult(const CaseResult& result, const Sources& sources,
                          const std::string& rerun) {
  const Case& conformance_case = *result.conformance_case;
  std::string text = fmt::format(
      "{}: {} ({})\n", conformance_case.id,
      result.verdict == Verdict::kPassed && result.observed_differently
          ? "observed differently"
          : VerdictName(result.verdict),
      LevelName(conformance_case.level));
  text += Line("states", conformance_case.states);
  for (const Citation& citation : conformance_case.cites) {
    text += Line("cites", sources.Describe(citation));
  }
  for (const RunResult& run : result.runs) {
    if (run.verdict != Verdict::kPassed || !AllHold(run))
      text += ExplainRun(conformance_case, run);
  }
  return text + Line("rerun", rerun);
}

}  // namespace lockstep
