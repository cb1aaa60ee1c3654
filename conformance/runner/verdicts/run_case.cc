#include "conformance/runner/verdicts/run_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "conformance/runner/cases/moved_inputs.h"
#include "conformance/runner/cases/parameters.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/first_difference.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

// One `given` for each replica count.
std::vector<Json> ExpandGiven(const Json& given) {
  if (!given.contains("replicas") || !given["replicas"].is_array()) {
    return {given};
  }
  std::vector<Json> expanded;
  for (const Json& replicas : given["replicas"]) {
    expanded.push_back(given);
    expanded.back()["replicas"] = replicas;
  }
  return expanded;
}

// Drawn afresh, so that nobody can tell by it which case is run.
std::string DrawToken() {
  thread_local std::random_device draw;  // making one takes longer than drawing
  return fmt::format("{:08x}{:08x}", draw(), draw());
}

// Puts the program to the testee under a token that it adds to `tokens`, its
// inputs moved unless `trial` is 0.
Answer Ask(const Case& conformance_case, const Json& given, int trial,
           Testee& testee, std::vector<std::string>& tokens) {
  tokens.push_back(DrawToken());
  const SplitGiven split = SplitOff(given);
  Json program = WithParameters(conformance_case.program, split.parameters);
  return AskTestee(testee,
                   {.token = tokens.back(),
                    .given = split.given,
                    .program = MoveInputs(std::move(program),
                                          conformance_case.inputs, trial)});
}

// What is asked for it is not judged: whatever comes of it, the verdict stays.
void NoteFirstDifferences(const Case& conformance_case, const Json& given,
                          Testee& testee, std::vector<Finding>& findings) {
  const AskProgram ask = [&](const Json& run_given, const Json& program) {
    return AskTestee(
        testee, {.token = DrawToken(), .given = run_given, .program = program});
  };
  for (Finding& finding : findings) {
    finding.first_difference =
        FirstDifference(conformance_case, given, finding, ask);
  }
}

RunResult RunOnce(const Case& conformance_case, const Json& given,
                  Testee& testee, const Dialect& dialect) {
  std::vector<std::string> tokens;
  const Clock::time_point start = Clock::now();
  const Answer answer = Ask(conformance_case, given, 0, testee, tokens);
  Verdict worst_rerun = Verdict::kPassed;
  const std::chrono::duration<double> duration = Clock::now() - start;
  const Rerun rerun = [&](const Json& other_given, int trial) {
    const Answer other = Ask(conformance_case, MergeGiven(given, other_given),
                             trial, testee, tokens);
    worst_rerun = std::max(
        worst_rerun, VerdictWithoutJudging(other).value_or(Verdict::kPassed));
    return other;
  };
  std::vector<Finding> findings =
      FindingsOf(conformance_case.expect, dialect,
                 {.given = given, .answer = answer, .rerun = rerun});
  NoteFirstDifferences(conformance_case, given, testee, findings);
  const Verdict verdict = std::max(VerdictOf(answer, findings), worst_rerun);
  return {.given = given,
          .answer = answer,
          .findings = std::move(findings),
          .verdict = verdict,
          .seconds = duration.count(),
          .tokens = std::move(tokens)};
}

CaseResult NotRun(const Case& conformance_case, const std::string& reason) {
  CaseResult result{.conformance_case = &conformance_case,
                    .verdict = Verdict::kUnsupported,
                    .as_stated = false,
                    .runs = {}};
  for (const Json& given : ExpandGiven(conformance_case.given)) {
    result.runs.push_back({.given = given,
                           .answer = Unsupported{.step = "", .reason = reason},
                           .findings = {},
                           .verdict = Verdict::kUnsupported});
  }
  return result;
}

// Why the testee cannot be given what the case wants; nothing where it can. One
// that does not start says so when it is asked.
std::optional<std::string> WhyNotGiven(const Json& given, Testee& testee) {
  if (!given.contains("workers")) return std::nullopt;
  const int64_t workers = testee.Start().workers;
  if (testee.StartProblem() || given["workers"] <= workers) return std::nullopt;
  return fmt::format(
      "{} workers are given, and it starts {}", given["workers"].dump(),
      workers == 0 ? "none" : fmt::format("at most {}", workers));
}

}  // namespace

CaseResult RunCase(const Case& conformance_case, Testee& testee,
                   const Dialect& dialect) {
  std::optional<std::string> reason =
      WhyNothingApplies(conformance_case.expect, dialect);
  if (!reason) reason = WhyNotGiven(conformance_case.given, testee);
  if (reason) return NotRun(conformance_case, *reason);
  CaseResult result{.conformance_case = &conformance_case,
                    .verdict = Verdict::kPassed,
                    .as_stated = true,
                    .runs = {}};
  for (const Json& given : ExpandGiven(conformance_case.given)) {
    RunResult run = RunOnce(conformance_case, given, testee, dialect);
    result.verdict = std::max(result.verdict, run.verdict);
    result.as_stated &= AllHold(run);
    result.runs.push_back(std::move(run));
  }
  return result;
}

}  // namespace lockstep
