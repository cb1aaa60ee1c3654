// Groups unsupported cases that are not listed by their step: a new testee has
// hundreds of such cases, because of some dozens of steps.
//
//   unsupported, and not listed: 1011 cases, by step
//     222  model.create: not written yet
//          checkpoint/files/a, training/fit/b, ...
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_UNSUPPORTED_GROUPS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_UNSUPPORTED_GROUPS_H_

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "conformance/runner/output/suite_result.h"

namespace lockstep {

// Whether the only problem of a case is that it is unsupported and not listed.
// `problems`: those of this case.
bool IsOnlyUnsupported(const CaseResult& result,
                       const std::vector<Unexpected>& problems);

class UnsupportedGroups {
 public:
  explicit UnsupportedGroups(const SuiteResult& suite);

  bool Contains(const std::string& case_id) const {
    return case_ids_.contains(case_id);
  }

  size_t cases() const { return case_ids_.size(); }

  // The groups as text, the largest first; "" if there are none.
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

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_UNSUPPORTED_GROUPS_H_
