// What the runner knows of an implementation under test, and what comes back
// when a program is put to it.
//
// It is told what is given and what to do, never what is expected of it.
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

// The names of errors in cases and in answers (operations.md).
// True for "InvalidArgument" and the others, false for "ValueError".
bool IsErrorClass(std::string_view name);

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

// What comes back when a program is put to a testee.
using Answer = std::variant<Observations, Failure, Unsupported, TimedOut,
                            Crashed, ProtocolError>;

// One of the first three, which a testee gives; the others say why there is none.
bool IsReply(const Answer& answer);

// In a few words: "InvalidArgument in loss.compute: ...", "crashed by SIGSEGV".
std::string DescribeAnswer(const Answer& answer);

// As the pipe protocol and the reports write it: {"observations": {...}},
// {"error": {...}}, {"crashed": {"by": ..., "stderr": ...}}, ...
Json AnswerToJson(const Answer& answer);

// Of the last three; empty for the others.
std::string StderrTailOf(const Answer& answer);

// What a testee says of itself.
struct TesteeDeclaration {
  std::string name;                  // "tensorflow"
  std::string implementation;        // "TensorFlow 2.21.0"
  std::string language;              // "python"
  std::vector<std::string> devices;  // {"CPU"}
  // Where implementations may legally differ, by the ids of conventions.json:
  // {"gradient_combination": "sum"}. One that is left out has its first value.
  std::map<std::string, std::string> conventions;
  // That it can do, as operations.md names them.
  std::vector<std::string> steps;
  // Of how many worker processes it can start a job; 0: of none.
  int64_t workers = 0;

  bool operator==(const TesteeDeclaration&) const = default;
};

// What a testee is asked.
struct Request {
  // Names this run of the program and nothing else: what is run for which case
  // is not the testee's to know.
  std::string token;
  Json given;  // "replicas" is one number here
  Json program;
};

// Twelve hexadecimal digits of what is asked: the same of the same JSON values,
// whatever the order of an object's fields.
std::string RequestKey(const Json& given, const Json& program);

// What came to light of a case after its answer was given: a second reply, or
// death before it was asked anything else.
struct LateProblem {
  std::string token;  // of the request that was answered
  Answer answer;      // takes the place of the one given
};

// Thrown by a testee that is not to go on: somebody asked the run to end. No
// std::exception, since it says nothing about the testee.
class Interrupted {};

class Testee {
 public:
  virtual ~Testee() = default;

  // What it says of itself; starts it where that is needed. One that does not
  // start declares no more than a name, and Run says why.
  // Errors: NotFound when there is nothing to start; Interrupted.
  virtual const TesteeDeclaration& Start() = 0;

  // What Start met when the testee did not start, nothing when it did.
  virtual std::optional<Answer> StartProblem() const { return std::nullopt; }

  // Runs one program from a fresh state. Errors: Interrupted.
  virtual Answer Run(const Request& request) = 0;

  // Ends it. A later Start or Run starts it anew.
  virtual void Stop() {}

  // Each is told once; complete after Stop.
  virtual std::vector<LateProblem> TakeLateProblems() { return {}; }
};

// Puts a request to a testee that may throw.
// An exception that escapes the testee is a Failure "Internal" at step
// "testee"; Interrupted, which is none, goes through.
Answer AskTestee(Testee& testee, const Request& request);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_
