// The interface of an implementation under test, a testee, and its answers to
// programs.
//
// A testee receives what is given and a program, never the expected results.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/base/json.h"

namespace lockstep {

// Whether `name` is an error class of cases and answers (operations.md): true
// for "InvalidArgument" and others, false for "ValueError".
bool IsErrorClass(std::string_view name);

// The program ran to its end: an object with a value for each "observe".
struct Observations {
  Json values = Json::object();
};

// A step failed with an error.
struct Failure {
  std::string error_class;  // "InvalidArgument", ... as operations.md lists
  std::string message;
  std::string at_step;  // "loss.compute_average"
};

// The implementation does not support a step (or these arguments).
struct Unsupported {
  std::string step;
  std::string reason;
};

// It did not answer before the deadline, and was killed.
struct TimedOut {
  std::chrono::milliseconds deadline;
  std::string stderr_tail;  // the last lines
};

// Its process died.
struct Crashed {
  std::string by;  // "SIGSEGV", "exit status 3"
  std::string stderr_tail;
};

// Its line is not a valid reply: not JSON, another seq, an unknown field, ...
struct ProtocolError {
  std::string what;
  std::string stderr_tail;
};

// The answer of a testee to a program.
using Answer = std::variant<Observations, Failure, Unsupported, TimedOut,
                            Crashed, ProtocolError>;

// Whether it is one of the first three, which testees give; the others mean
// that there was no reply.
bool IsReply(const Answer& answer);

// In a few words: "InvalidArgument in loss.compute: ...", "crashed by SIGSEGV".
std::string DescribeAnswer(const Answer& answer);

// As the pipe protocol and the reports write it: {"observations": {...}},
// {"error": {...}}, {"crashed": {"by": ..., "stderr": ...}}, ...
Json AnswerToJson(const Answer& answer);

// The stderr_tail of the last three; empty for the others.
std::string StderrTailOf(const Answer& answer);

// What a testee declares about itself.
struct TesteeDeclaration {
  std::string name;                  // "tensorflow"
  std::string implementation;        // "TensorFlow 2.21.0"
  std::string language;              // "python"
  std::vector<std::string> devices;  // {"CPU"}
  // Convention -> value, by the ids of conventions.json:
  // {"gradient_combination": "sum"}. The default is the first value.
  std::map<std::string, std::string> conventions;
  // The steps that it supports, named as in operations.md.
  std::vector<std::string> steps;
  // The largest number of workers that it can start; 0: none.
  int64_t workers = 0;

  bool operator==(const TesteeDeclaration&) const = default;
};

// A program to run.
struct Request {
  // Identifies this run. Reveals nothing about the case.
  std::string token;
  Json given;  // "replicas" is one number here
  Json program;
};

// Twelve hexadecimal digits of a hash of a request. Does not depend on the
// order of an object's fields.
std::string RequestKey(const Json& given, const Json& program);

// A problem that was found after the answer: a second reply, or the end of the
// process before the next request.
struct LateProblem {
  std::string token;  // of the request that was answered
  Answer answer;      // replaces the earlier one
};

// Thrown by a testee when the run is interrupted. Not a std::exception, because
// it is not an error of the testee.
class Interrupted {};

class Testee {
 public:
  virtual ~Testee() = default;

  // Starts it if needed, and returns its declaration. If it does not start, the
  // declaration has only a name, and Run returns the problem. Errors: NotFound
  // if there is nothing to start; Interrupted.
  virtual const TesteeDeclaration& Start() = 0;

  // The problem of a failed Start; nullopt if it started.
  virtual std::optional<Answer> StartProblem() const { return std::nullopt; }

  // Runs one program from a fresh state. Errors: Interrupted.
  virtual Answer Run(const Request& request) = 0;

  // Ends it. A later Start or Run starts it again.
  virtual void Stop() {}

  // Returns each problem once; complete after Stop.
  virtual std::vector<LateProblem> TakeLateProblems() { return {}; }
};

// Runs a request. An exception that escapes the testee becomes a Failure
// "Internal" at step "testee"; Interrupted is passed on.
Answer RunOnTestee(Testee& testee, const Request& request);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_
