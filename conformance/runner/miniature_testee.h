// A fake testee for tests of the runner, which answers by a function.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_MINIATURE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_MINIATURE_TESTEE_H_

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/testee.h"

namespace lockstep {

class MiniatureTestee : public Testee {
 public:
  using Behaviour = std::function<Answer(const Request&)>;

  explicit MiniatureTestee(Behaviour behaviour,
                           std::map<std::string, std::string> conventions = {})
      : behaviour_(std::move(behaviour)) {
    declaration.name = "miniature";
    declaration.implementation = "Miniature 1";
    declaration.language = "c++";
    declaration.conventions = std::move(conventions);
  }

  const TesteeDeclaration& Start() override { return declaration; }
  Answer Run(const Request& request) override {
    requests.push_back(request);
    return behaviour_(request);
  }
  void Stop() override { ++stops; }
  std::vector<LateProblem> TakeLateProblems() override {
    return std::exchange(late_problems, {});
  }

  TesteeDeclaration declaration;
  std::vector<Request> requests;  // all it received
  std::vector<LateProblem> late_problems;
  int stops = 0;

 private:
  Behaviour behaviour_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_MINIATURE_TESTEE_H_
