// What the runner knows of an implementation under test.
//
// It is told what is given and what to do, never what is expected of it.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/answer.h"
#include "reference/base/json.h"

namespace lockstep {

// What a testee says of itself.
struct TesteeDeclaration {
  std::string name;                  // "tensorflow"
  std::string implementation;        // "TensorFlow 2.21.0"
  std::string language;              // "python"
  std::vector<std::string> devices;  // {"CPU"}
  // Where implementations may legally differ, by the ids of conventions.json:
  // {"gradient_combination": "sum"}. One that is left out has its first value.
  std::map<std::string, std::string> conventions;
  std::vector<std::string>
      steps;  // that it can do, as operations.md names them

  bool operator==(const TesteeDeclaration&) const = default;
};

struct Request {
  std::string case_id;  // for the testee's own messages
  Json given;           // "replicas" is one number here
  Json program;
};

// What came to light of a case after its answer was given: a second reply, or
// death before it was asked anything else.
struct LateProblem {
  std::string case_id;
  Answer answer;  // takes the place of the one given
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

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_
