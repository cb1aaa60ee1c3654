// Puts a case to a testee and judges what comes back.
//
//   const CaseResult result = RunCase(loader.cases()[0], testee, {});
//   VerdictName(result.verdict);     // "passed"
//
// A case given several replica counts runs once for each and has the worst
// verdict; so does one that compares with another run. A case of which nothing
// applies to the dialect is unsupported, and is not put to the testee. An
// exception that escapes the testee is a Failure "Internal" at step
// "testee": the runner goes on. Only Interrupted goes through.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_

#include <functional>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// `dialect`: what the testee is held to, Conventions::Complete of what it
// declared.
// REQUIRES: the case outlives the result.
CaseResult RunCase(const Case& conformance_case, Testee& testee,
                   const Dialect& dialect);

// Puts cases to a testee, one after another.
//
//   RunCases(cases, testee, {}, [](const CaseResult& result) {
//     std::cout << result.conformance_case->id << "\n";
//   });
//
// A testee may spoil a case after it answered it (a second reply, a death). A
// result is therefore told once it can no longer change: when the next case
// has run, or the testee has stopped.
//
// Starts the testee and stops it at the end. `on_result` gets each result, in
// the order of `cases`, which outlive the results. Where there is a `stop` it
// is asked before each case; true: no further case is put to the testee. A case
// within which the testee throws Interrupted is the last, and has no result.
// Returns whether all were put to it.
// Errors: those of Testee::Start, and of `on_result`.
bool RunCases(const std::vector<const Case*>& cases, Testee& testee,
              const Dialect& dialect,
              const std::function<void(const CaseResult&)>& on_result,
              const std::function<bool()>& stop = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_
