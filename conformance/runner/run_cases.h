// Puts cases to a testee, one after another.
//
//   RunCases(cases, testee, {}, [](const CaseResult& result) {
//     std::cout << result.conformance_case->id << "\n";
//   });
//
// A testee may spoil a case after it answered it (a second reply, a death). A
// result is therefore told once it can no longer change: when the next case
// has run, or the testee has stopped.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_RUN_CASES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_RUN_CASES_H_

#include <functional>
#include <vector>

#include "conformance/runner/run_case.h"

namespace lockstep {

// Starts the testee and stops it at the end. `on_result` gets each result, in
// the order of `cases`, which outlive the results. Where there is a `stop` it is
// asked before each case; true: no further case is put to the testee. A case
// within which the testee throws Interrupted is the last, and has no result.
// Returns whether all were put to it.
// Errors: those of Testee::Start, and of `on_result`.
bool RunCases(const std::vector<const Case*>& cases, Testee& testee,
              const RunCaseOptions& options,
              const std::function<void(const CaseResult&)>& on_result,
              const std::function<bool()>& stop = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_RUN_CASES_H_
