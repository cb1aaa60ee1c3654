// What an implementation has not, said once for all cases that need it.
//
//   {"step": "train.join", "reason": "a step of fit waits for all ranks",
//    "reference": "https://...", "versions": "2.6", "cases": 3}
//
// Without a step it is what the testee's conventions leave nothing of. A case
// that is unsupported for this step and this reason needs no entry of its own.
// How many there are has to stay the same: a case that becomes unsupported,
// which passed or failed before, does not hide among them.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_LACK_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_LACK_H_

#include <string>
#include <vector>

#include "conformance/runner/text/json_file.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

struct Lack {
  std::string step;
  std::string reason;  // the testee's own words
  std::string reference = {};
  std::string versions = {};
  int64_t cases = 0;
  std::string place = {};  // "tensorflow.json at $.lacks[3]", for messages

  // "train.join: a step of fit waits for all ranks"
  std::string Name() const {
    return step.empty() ? reason : step + ": " + reason;
  }
  bool Explains(const Unsupported& answer) const {
    return step == answer.step && reason == answer.reason;
  }
};

// Errors: InvalidArgument with file and JSON path.
Lack ReadLack(const JsonCursor& cursor);
Json ToJson(const Lack& lack);

// What a case lacks, each once, in the order of its runs. Empty where its
// verdict is another.
std::vector<Unsupported> LacksOf(const CaseResult& result);

// The first of `lacks` that explains the case, where each of its runs that is
// unsupported is explained by one; else nullptr.
const Lack* FindLack(const std::vector<Lack>& lacks, const CaseResult& result);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_LACK_H_
