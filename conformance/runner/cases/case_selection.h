// Selects the cases of a run.
//
//   CaseSelection selection{.levels = {"required"}, .shard = 2,
//                           .shards = 4};
//   SelectCases(loader.cases(), selection);   // every fourth, from the second
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_SELECTION_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_SELECTION_H_

#include <string>
#include <vector>

#include "conformance/runner/cases/case.h"

namespace lockstep {

inline constexpr int kMaxShards = 1000;

struct CaseSelection {
  std::string filter = "*";  // ids, with * and ?
  // "required", ...; "input" of "input/rebatch/...". Empty: all.
  std::vector<std::string> levels = {};
  std::vector<std::string> areas = {};
  // Of the remaining cases, in the order of ids, every `shards`-th, beginning
  // with number `shard`: each case is in exactly one shard.
  int shard = 1;
  int shards = 1;

  bool IsAll() const {
    return filter == "*" && levels.empty() && areas.empty() && shards == 1;
  }
};

// Errors: NotFound for an unknown area, and if no case is selected: an empty
// run must not pass.
std::vector<const Case*> SelectCases(const std::vector<Case>& cases,
                                     const CaseSelection& selection);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_SELECTION_H_
