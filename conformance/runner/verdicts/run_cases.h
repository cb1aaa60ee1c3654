// Runs many cases against an implementation, on several testees in parallel.
//
//   RunCases(cases, {{&testee}}, {}, [](const CaseResult& result) {
//     std::cout << result.conformance_case->id << "\n";
//   });
//
// Each testee runs one case after another, always the next one that is not
// taken yet. A late problem (a second reply, the end of the process) can still
// change the result of an answered case. Therefore a result is reported once it
// is final: when its testee has run another case, or has stopped.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASES_H_

#include <functional>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// Testees that run in parallel.
struct TesteePool {
  std::vector<Testee*> general;  // for any case
  // If not null, runs the cases with several workers, which mostly wait for
  // each other. The other testees run such cases only when no other case is
  // left.
  Testee* multi_worker = nullptr;
};

// Whether the case has several workers.
bool IsMultiWorker(const Case& conformance_case);

// Starts the testees and stops them at the end. Each is used by one thread, the
// first by the caller's. Calls `on_result` with each result, one at a time and
// in the order of `cases`, which must outlive the results. Calls `stop`, if
// any, before each case; if it returns true, or if a testee throws Interrupted,
// no further case starts, and an interrupted case has no result. Returns
// whether all cases have a result. Errors: those of Testee::Start and of
// `on_result`, after all testees have ended; ResourceExhausted if the system
// has no more threads. REQUIRES: testees.general.size() >= 1.
bool RunCases(const std::vector<const Case*>& cases, const TesteePool& testees,
              const Dialect& dialect,
              const std::function<void(CaseResult)>& on_result,
              const std::function<bool()>& stop = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASES_H_
