// What comes back when a program is put to a testee.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ANSWER_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ANSWER_H_

#include <chrono>
#include <string>
#include <variant>

#include "reference/base/json.h"

namespace lockstep {

// The program ran to its end: an object with a value for each "observe".
struct Observations {
  Json values = Json::object();
};

// A step failed with an error the caller can understand.
struct Failure {
  std::string error_class;  // "InvalidArgument", ... as operations.md lists
  std::string message;
  std::string at_step;  // "loss.compute_average"
};

// The implementation has no such step (or not with these arguments).
struct Unsupported {
  std::string step;
  std::string reason;
};

// It said nothing until the deadline, and was killed.
struct TimedOut {
  std::chrono::milliseconds deadline;
  std::string stderr_tail;  // the last lines, empty when there are none
};

// Its process died.
struct Crashed {
  std::string by;  // "SIGSEGV", "exit status 3"
  std::string stderr_tail;
};

// What it said is no answer: no JSON, another seq, an unknown field, ...
struct ProtocolError {
  std::string what;
  std::string stderr_tail;
};

using Answer = std::variant<Observations, Failure, Unsupported, TimedOut,
                            Crashed, ProtocolError>;

// In a few words: "InvalidArgument in loss.compute: ...", "crashed by SIGSEGV".
std::string DescribeAnswer(const Answer& answer);

// As the pipe protocol and the reports write it: {"observations": {...}},
// {"error": {...}}, {"crashed": {"by": ..., "stderr": ...}}, ...
Json AnswerToJson(const Answer& answer);

// Of the last three; empty for the others.
std::string StderrTailOf(const Answer& answer);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWER_H_
