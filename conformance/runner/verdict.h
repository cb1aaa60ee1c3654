// What the runner says of a case and an implementation.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICT_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/testee.h"

namespace lockstep {

// In order of badness: a case has the worst verdict of its runs.
enum class Verdict {
  kPassed,         // every judged expectation holds
  kUnsupported,    // the implementation lacks a step and says so
  kFailed,         // it did something else
  kErrored,        // it ended with an error where none was expected
  kTimedOut,       // it gave no answer before the deadline
  kCrashed,        // its process died
  kProtocolError,  // what it said is no answer
};

inline constexpr std::array kVerdicts = {
    Verdict::kPassed,       Verdict::kUnsupported, Verdict::kFailed,
    Verdict::kErrored,      Verdict::kTimedOut,    Verdict::kCrashed,
    Verdict::kProtocolError};

// "passed", "unsupported", "failed", "errored", "timed_out", "crashed",
// "protocol_error".
std::string_view VerdictName(Verdict verdict);

// One expectation that applies to the testee, held against one run.
struct Finding {
  const Expectation* expectation;  // of the case
  bool holds = false;
  std::string difference;  // empty when it holds
  Json observed;           // null when there is no such observation
  // kSameAs: what it was compared with; null when there was nothing.
  Json compared_with = nullptr;
};

// All that is known of one run of a case.
struct RunResult {
  Json given;
  Answer answer;
  std::vector<Finding> findings;
  Verdict verdict = Verdict::kPassed;
  double seconds = 0;  // until the answer was there
};

struct CaseResult {
  const Case* conformance_case;  // outlives the result
  Verdict verdict = Verdict::kPassed;
  // An expectation of level `observed` does not hold: told, not judged.
  bool observed_differently = false;
  std::vector<RunResult> runs;  // one for each replica count of `given`
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICT_H_
