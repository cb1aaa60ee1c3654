// The runs of a case that stand beside the judged one: those it is compared with,
// and those in which a difference is searched. Each is asked once, however many
// expectations and replica counts want it.
//
//   OtherRuns others(testee);
//   others.Ask({{"replicas", 1}}, program).answer;
//   others.Ask({{"replicas", 1}}, program).token;  // the same run's
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_OTHER_RUNS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_OTHER_RUNS_H_

#include <map>
#include <string>
#include <utility>

#include "conformance/runner/testee.h"

namespace lockstep {

// A name for a run, drawn afresh, so that nobody can tell by it which case it is.
std::string DrawToken();

class OtherRuns {
 public:
  struct Run {
    std::string token;  // under which it was put to the testee
    Answer answer;
  };

  // REQUIRES: the testee outlives this.
  explicit OtherRuns(Testee& testee) : testee_(testee) {}

  // `given` has no parameters, they stand in the program. Whatever was answered
  // stays, a crash too. Errors: Interrupted.
  const Run& Ask(const Json& given, const Json& program);

 private:
  Testee& testee_;
  std::map<std::pair<std::string, std::string>, Run>
      runs_;  // by what was asked
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_OTHER_RUNS_H_
