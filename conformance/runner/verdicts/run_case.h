// Runs a case against a testee and judges the answer.
//
//   const CaseResult result = RunCase(loader.cases()[0], testee, {});
//   VerdictName(result.verdict);     // "passed"
//
// A case with several replica counts runs once for each and has the worst
// verdict; so does one that compares with another run. A case of which no
// expectation applies to the dialect, or that needs more workers than the
// testee can start, is unsupported and does not run. An exception that escapes
// the testee is a Failure "Internal" at step "testee". Interrupted is passed
// on.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// `dialect`: Conventions::Complete of the declared conventions. REQUIRES: the
// case outlives the result.
CaseResult RunCase(const Case& conformance_case, Testee& testee,
                   const Dialect& dialect);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_
