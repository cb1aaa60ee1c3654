// Judges a case: compares the answer of a testee with the expectations of the
// case.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_VERDICT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_VERDICT_H_

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"

namespace lockstep {

// From best to worst: a case has the worst verdict of its runs.
enum class Verdict {
  kPassed,         // all required and recommended expectations hold
  kInformational,  // it has no judged expectations
  kWarned,         // a recommended expectation does not hold
  kDeparted,       // the documented result of its convention, which is not
                   // the promised one
  kUnsupported,    // the implementation does not support a step
  kFailed,         // a required expectation does not hold
  kErrored,        // it ended with an unexpected error
  kTimedOut,       // it gave no answer before the deadline
  kCrashed,        // its process died
  kProtocolError,  // its reply was not valid
};

inline constexpr std::array kVerdicts = {
    Verdict::kPassed,       Verdict::kInformational, Verdict::kWarned,
    Verdict::kDeparted,     Verdict::kUnsupported,   Verdict::kFailed,
    Verdict::kErrored,      Verdict::kTimedOut,      Verdict::kCrashed,
    Verdict::kProtocolError};

// "passed", "informational", "warned", "departed", "unsupported", "failed", "errored",
// "timed_out", "crashed", "protocol_error".
std::string_view VerdictName(Verdict verdict);

// Whether the implementation fails or does not support the case. Informational
// and recommended expectations do not count, nor do declared departures.
constexpr bool IsDeviation(Verdict verdict) {
  return verdict >= Verdict::kUnsupported;
}

// Whether the outcome is not the required or recommended one, so that a list of
// deviations may have an entry for it.
constexpr bool MayBeListed(Verdict verdict) {
  return verdict == Verdict::kWarned || IsDeviation(verdict);
}

// The result of comparing one run with one expectation that applies to the
// testee.
struct Finding {
  const Expectation* expectation;  // of the case
  bool holds = false;
  std::string difference;  // empty when it holds
  Json observed;           // null if there is no such observation
  // kSameAs, kDiffersFrom: the value that it was compared with; null if there
  // was none.
  Json compared_with = nullptr;
  // Rounding::ToJson, if rounding was estimated: {"": 2.4e-07}; else null.
  Json rounding = nullptr;
  // FirstDifference for people; may be empty. It is neither judged nor listed.
  std::string first_difference = {};
};

// One program that ran on a testee.
struct ProgramRun {
  std::string token;  // of the request
  std::string key;    // its RequestKey

  bool operator==(const ProgramRun&) const = default;
};

// All that is known of one run of a case.
struct RunResult {
  Json given;
  Answer answer;
  std::vector<Finding> findings;
  Verdict verdict = Verdict::kPassed;
  double seconds = 0;  // until the answer
  // The program of the answer, then those that it is compared with. Empty if
  // nothing ran.
  std::vector<ProgramRun> programs = {};
};

// RequestKey -> answer.
using AnswersByKey = std::map<std::string, Answer>;

bool AllHold(const RunResult& run);

struct CaseResult {
  const Case* conformance_case;  // outlives the result
  Verdict verdict = Verdict::kPassed;
  // Every expectation that applies holds, whatever its level.
  bool matches = false;
  std::vector<RunResult> runs;  // one for each replica count of `given`
  // The answers of all other programs that ran.
  AnswersByKey other_answers = {};
};

// Returns the answer of the same program with fields of `given` replaced, and
// with perturbed inputs (MoveInputs) unless `trial` is 0.
using Rerun = std::function<Answer(const Json& other_given, int trial)>;

// A run and its answer. `rerun` is called for expectations that compare with
// another run.
struct JudgedRun {
  const Json& given;  // of one run: "replicas" is one number
  const Answer& answer;
  const Rerun& rerun;
};

// The findings of the expectations that apply to the dialect, in order.
// REQUIRES: the expectations outlive the findings.
std::vector<Finding> FindingsOf(const std::vector<Expectation>& expectations,
                                const Dialect& dialect, const JudgedRun& run);

// Why no expectation applies to this dialect; nullopt if one does.
std::optional<std::string> WhyNothingApplies(
    const std::vector<Expectation>& expectations, const Dialect& dialect);

// The verdict of an answer without anything to judge: unsupported, timed_out,
// crashed or protocol_error; nullopt for other answers.
std::optional<Verdict> VerdictWithoutJudging(const Answer& answer);

// The verdict of one run.
Verdict VerdictOf(const Answer& answer, const std::vector<Finding>& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_VERDICT_H_
