// What the runner knows of an implementation under test.
//
// It is told what is given and what to do, never what is expected of it.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_

#include <string>
#include <variant>

#include "reference/base/json.h"

namespace lockstep {

struct Request {
  std::string case_id;  // for the testee's own messages
  Json given;           // "replicas" is one number here
  Json program;
};

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

using Answer = std::variant<Observations, Failure, Unsupported>;

class Testee {
 public:
  virtual ~Testee() = default;

  virtual std::string name() const = 0;

  // Runs one program from a fresh state.
  virtual Answer Run(const Request& request) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TESTEE_H_
