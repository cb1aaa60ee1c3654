// What the runner says of a case and an implementation: the answer of a testee,
// held against the expectations of the case.
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

// In order of badness: a case has the worst verdict of its runs.
enum class Verdict {
  kPassed,         // what is required and recommended holds
  kInformational,  // nothing of it is judged: what it did is recorded
  kWarned,         // what is required holds, something recommended does not
  kDeparted,       // it does what follows from a documented convention of its
                   // own, which is not what is promised
  kUnsupported,    // the implementation lacks a step and says so
  kFailed,         // it did something else
  kErrored,        // it ended with an error where none was expected
  kTimedOut,       // it gave no answer before the deadline
  kCrashed,        // its process died
  kProtocolError,  // what it said is no answer
};

inline constexpr std::array kVerdicts = {
    Verdict::kPassed,       Verdict::kInformational, Verdict::kWarned,
    Verdict::kDeparted,     Verdict::kUnsupported,   Verdict::kFailed,
    Verdict::kErrored,      Verdict::kTimedOut,      Verdict::kCrashed,
    Verdict::kProtocolError};

// "passed", "informational", "warned", "departed", "unsupported", "failed", "errored",
// "timed_out", "crashed", "protocol_error".
std::string_view VerdictName(Verdict verdict);

// Whether the implementation is at fault, or lacks something. Not so what is
// told or only advised, nor what it declares to do otherwise.
constexpr bool IsDeviation(Verdict verdict) {
  return verdict >= Verdict::kUnsupported;
}

// Whether something came instead of what is required or recommended: a list of
// deviations may say what.
constexpr bool MayBeListed(Verdict verdict) {
  return verdict == Verdict::kWarned || IsDeviation(verdict);
}

// One expectation that applies to the testee, held against one run.
struct Finding {
  const Expectation* expectation;  // of the case
  bool holds = false;
  std::string difference;  // empty when it holds
  Json observed;           // null when there is no such observation
  // kSameAs, kDiffersFrom: what it was compared with; null when there was nothing.
  Json compared_with = nullptr;
  // Where that is estimated: what rounding can change, {"": 2.4e-07}, of an
  // object's entries each by itself; else null.
  Json rounding = nullptr;
  // Where a training first left the run that it was compared with, for people;
  // empty where that is not known (first_difference.h). Not judged, nor listed.
  std::string first_difference = {};
};

// One program that was put to a testee.
struct AskedProgram {
  std::string token;  // under which
  std::string key;    // RequestKey of what was asked

  bool operator==(const AskedProgram&) const = default;
};

// All that is known of one run of a case.
struct RunResult {
  Json given;
  Answer answer;
  std::vector<Finding> findings;
  Verdict verdict = Verdict::kPassed;
  double seconds = 0;  // until the answer was there
  // First for the answer, then for what that is compared with. Empty where
  // nothing was asked.
  std::vector<AskedProgram> asked = {};
};

// By the keys of what was asked.
using AnswersByKey = std::map<std::string, Answer>;

bool AllHold(const RunResult& run);

struct CaseResult {
  const Case* conformance_case;  // outlives the result
  Verdict verdict = Verdict::kPassed;
  // Every expectation that applies holds, of whatever level.
  bool matches = false;
  std::vector<RunResult> runs;  // one for each replica count of `given`
  // Of all that was asked besides the runs' own programs.
  AnswersByKey other_answers = {};
};

// Gives the answer of the same program with fields of `given` replaced, and
// its inputs moved (MoveInputs) unless `trial` is 0.
using Rerun = std::function<Answer(const Json& other_given, int trial)>;

// What was asked and answered. `rerun` is called for expectations that compare
// with another run.
struct AskedRun {
  const Json& given;  // of one run: "replicas" is one number
  const Answer& answer;
  const Rerun& rerun;
};

// Findings of the expectations that apply to the dialect, in their order; the
// expectations outlive them.
std::vector<Finding> FindingsOf(const std::vector<Expectation>& expectations,
                                const Dialect& dialect, const AskedRun& run);

// Why there is nothing to say of a testee of this dialect: every expectation
// is for others.
std::optional<std::string> WhyNothingApplies(
    const std::vector<Expectation>& expectations, const Dialect& dialect);

// Of an answer that holds nothing to judge: unsupported, timed_out, crashed or
// protocol_error.
std::optional<Verdict> VerdictWithoutJudging(const Answer& answer);

// The verdict of one run.
Verdict VerdictOf(const Answer& answer, const std::vector<Finding>& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_VERDICT_H_
