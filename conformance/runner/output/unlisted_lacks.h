// Cases that are unsupported and not listed, by what they lack: a testee that
// somebody has just begun has hundreds of them, for some dozens of steps.
//
//   unsupported, and not listed: 1011 cases, by what they lack
//     222  model.create: not written yet
//          such as checkpoint/files/a, training/fit/b
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_UNLISTED_LACKS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_UNLISTED_LACKS_H_

#include <set>
#include <string>
#include <vector>

#include "conformance/runner/output/suite_result.h"

namespace lockstep {

// Whether there is nothing to say of a case but what it lacks. `problems`:
// those of this case.
bool IsUnlistedLack(const CaseResult& result,
                    const std::vector<Unexpected>& problems);

class UnlistedLacks {
 public:
  explicit UnlistedLacks(const SuiteResult& suite);

  bool Contains(const std::string& case_id) const {
    return case_ids_.contains(case_id);
  }

  // Lines for people, the largest group first; "" when there is no such case.
  std::string Describe() const;

 private:
  struct Group {
    std::string name;  // "model.create: not written yet"
    std::vector<std::string> case_ids;
  };

  void Add(const std::string& name, const std::string& case_id);

  std::set<std::string, std::less<>> case_ids_;
  std::vector<Group> groups_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_UNLISTED_LACKS_H_
