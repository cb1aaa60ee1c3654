// Puts a case to a testee and judges what comes back.
//
//   const CaseResult result = RunCase(loader.cases()[0], testee, {});
//   VerdictName(result.verdict);     // "passed"
//
// A case given several replica counts runs once for each and has the worst
// verdict; so does one that compares with another run. A case of which nothing
// applies to the dialect, or that wants more workers than the testee starts, is
// unsupported, and is not put to it. An
// exception that escapes the testee is a Failure "Internal" at step
// "testee": the runner goes on. Only Interrupted goes through.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// `dialect`: what the testee is held to, Conventions::Complete of what it
// declared.
// REQUIRES: the case outlives the result.
CaseResult RunCase(const Case& conformance_case, Testee& testee,
                   const Dialect& dialect);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_H_
