// A testee that answers as a test tells it to: the runner is tested with
// liars, forgetters and complainers.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_MINIATURE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_MINIATURE_TESTEE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/testee.h"

namespace lockstep {

class MiniatureTestee : public Testee {
 public:
  using Behaviour = std::function<Answer(const Request&)>;

  explicit MiniatureTestee(Behaviour behaviour)
      : behaviour_(std::move(behaviour)) {}

  std::string name() const override { return "miniature"; }
  Answer Run(const Request& request) override {
    requests.push_back(request);
    return behaviour_(request);
  }

  std::vector<Request> requests;  // all it was told

 private:
  Behaviour behaviour_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_MINIATURE_TESTEE_H_
