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

// A random token, so that it does not reveal which case runs.
std::string DrawToken() {
  thread_local std::random_device draw;  // making one takes longer than drawing
  return fmt::format("{:08x}{:08x}", draw(), draw());
}

// The other runs of a case: those that the judged run is compared with, and
// those that search for a difference. Each program runs once, even if several
// expectations or replica counts need it.
class OtherRuns {
 public:
  struct Run {
    ProgramRun program;
    Answer answer;
  };

  explicit OtherRuns(Testee& testee) : testee_(testee) {}

  // Runs the program unless its answer is known. Also keeps a crash. `given`
  // has no parameters; they are filled in. Errors: Interrupted.
  const Run& GetOrRun(const Json& given, const Json& program) {
    const std::string key = RequestKey(given, program);
    const auto known = runs_.find(key);
    if (known != runs_.end()) return known->second;
    Run run{.program = {.token = DrawToken(), .key = key}, .answer = {}};
    run.answer = RunOnTestee(
        testee_,
        {.token = run.program.token, .given = given, .program = program});
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

// The request for a run of the case, without a token. The inputs are perturbed
// unless `trial` is 0.
Request RequestFor(const Case& conformance_case, const Json& given, int trial) {
  SplitGiven split = SplitOff(given);
  Json program = WithParameters(conformance_case.program, split.parameters);
  return {.token = "",
          .given = std::move(split.given),
          .program =
              MoveInputs(std::move(program), conformance_case.inputs, trial)};
}

// The programs that this runs are not judged: they do not change the verdict.
void AddFirstDifferences(const Case& conformance_case, const Json& given,
                         OtherRuns& others, std::vector<Finding>& findings) {
  const ProgramRunner run = [&](const Json& run_given, const Json& program) {
    return others.GetOrRun(run_given, program).answer;
  };
  for (Finding& finding : findings) {
    finding.first_difference =
        FirstDifference(conformance_case, given, finding, run);
  }
}

RunResult RunOnce(const Case& conformance_case, const Json& given,
                  Testee& testee, OtherRuns& others, const Dialect& dialect) {
  Request request = RequestFor(conformance_case, given, 0);
  request.token = DrawToken();
  std::vector<ProgramRun> programs = {
      {request.token, RequestKey(request.given, request.program)}};
  const Clock::time_point start = Clock::now();
  Answer answer = RunOnTestee(testee, request);
  const std::chrono::duration<double> duration = Clock::now() - start;
  Verdict worst_rerun = Verdict::kPassed;
  const Rerun rerun = [&](const Json& other_given, int trial) {
    const Request again =
        RequestFor(conformance_case, MergeGiven(given, other_given), trial);
    const OtherRuns::Run& other = others.GetOrRun(again.given, again.program);
    programs.push_back(other.program);
    worst_rerun = std::max(
        worst_rerun,
        VerdictWithoutJudging(other.answer).value_or(Verdict::kPassed));
    return other.answer;
  };
  std::vector<Finding> findings =
      FindingsOf(conformance_case.expect, dialect,
                 {.given = given, .answer = answer, .rerun = rerun});
  AddFirstDifferences(conformance_case, given, others, findings);
  const Verdict verdict = std::max(VerdictOf(answer, findings), worst_rerun);
  return {.given = given,
          .answer = std::move(answer),
          .findings = std::move(findings),
          .verdict = verdict,
          .seconds = duration.count(),
          .programs = std::move(programs)};
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

// Why the testee cannot run the case; nullopt if it can. A testee that does not
// start reports that when it runs.
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
