#include "conformance/runner/verdicts/run_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
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
  if (!HasSeveralReplicaCounts(given)) return {given};
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

// The runs of a case that stand beside the judged one: those it is compared
// with, and those in which a difference is searched. Each is asked once, however
// many expectations and replica counts want it.
class OtherRuns {
 public:
  struct Run {
    AskedProgram asked;
    Answer answer;
  };

  explicit OtherRuns(Testee& testee) : testee_(testee) {}

  // `given` has no parameters, they stand in the program. Whatever was answered
  // stays, a crash too. Errors: Interrupted.
  const Run& Ask(const Json& given, const Json& program) {
    const std::string key = RequestKey(given, program);
    const auto known = runs_.find(key);
    if (known != runs_.end()) return known->second;
    Run run{.asked = {.token = DrawToken(), .key = key}, .answer = {}};
    run.answer = AskTestee(
        testee_,
        {.token = run.asked.token, .given = given, .program = program});
    return runs_.emplace(key, std::move(run)).first->second;
  }

  // REQUIRES: called once, last.
  AnswersByKey TakeAnswers() {
    AnswersByKey answers;
    for (auto& [key, run] : runs_) answers.emplace(key, std::move(run.answer));
    return answers;
  }

 private:
  Testee& testee_;
  std::map<std::string, Run> runs_;  // by RequestKey
};

// What is put to a testee for a run of the case; the token is still to be drawn.
// The inputs are moved unless `trial` is 0.
Request RequestFor(const Case& conformance_case, const Json& given, int trial) {
  SplitGiven split = SplitOff(given);
  Json program = WithParameters(conformance_case.program, split.parameters);
  return {.token = "",
          .given = std::move(split.given),
          .program =
              MoveInputs(std::move(program), conformance_case.inputs, trial)};
}

// What is asked for it is not judged: whatever comes of it, the verdict stays.
void NoteFirstDifferences(const Case& conformance_case, const Json& given,
                          OtherRuns& others, std::vector<Finding>& findings) {
  const AskProgram ask = [&](const Json& run_given, const Json& program) {
    return others.Ask(run_given, program).answer;
  };
  for (Finding& finding : findings) {
    finding.first_difference =
        FirstDifference(conformance_case, given, finding, ask);
  }
}

RunResult RunOnce(const Case& conformance_case, const Json& given,
                  Testee& testee, OtherRuns& others, const Dialect& dialect) {
  Request request = RequestFor(conformance_case, given, 0);
  request.token = DrawToken();
  std::vector<AskedProgram> asked = {
      {request.token, RequestKey(request.given, request.program)}};
  const Clock::time_point start = Clock::now();
  Answer answer = AskTestee(testee, request);
  const std::chrono::duration<double> duration = Clock::now() - start;
  Verdict worst_rerun = Verdict::kPassed;
  const Rerun rerun = [&](const Json& other_given, int trial) {
    const Request again =
        RequestFor(conformance_case, MergeGiven(given, other_given), trial);
    const OtherRuns::Run& other = others.Ask(again.given, again.program);
    asked.push_back(other.asked);
    worst_rerun = std::max(
        worst_rerun,
        VerdictWithoutJudging(other.answer).value_or(Verdict::kPassed));
    return other.answer;
  };
  std::vector<Finding> findings =
      FindingsOf(conformance_case.expect, dialect,
                 {.given = given, .answer = answer, .rerun = rerun});
  NoteFirstDifferences(conformance_case, given, others, findings);
  const Verdict verdict = std::max(VerdictOf(answer, findings), worst_rerun);
  return {.given = given,
          .answer = std::move(answer),
          .findings = std::move(findings),
          .verdict = verdict,
          .seconds = duration.count(),
          .asked = std::move(asked)};
}

CaseResult NotRun(const Case& conformance_case, const std::string& reason) {
  CaseResult result{.conformance_case = &conformance_case,
                    .verdict = Verdict::kUnsupported,
                    .matches = false,
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
                    .matches = true,
                    .runs = {}};
  OtherRuns others(testee);
  for (const Json& given : ExpandGiven(conformance_case.given)) {
    RunResult run = RunOnce(conformance_case, given, testee, others, dialect);
    result.verdict = std::max(result.verdict, run.verdict);
    result.matches &= AllHold(run);
    result.runs.push_back(std::move(run));
  }
  result.other_answers = others.TakeAnswers();
  return result;
}

}  // namespace lockstep
