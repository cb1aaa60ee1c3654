// Puts many cases to an implementation, on several testees at a time.
//
//   RunCases(cases, {{&testee}}, {}, [](const CaseResult& result) {
//     std::cout << result.conformance_case->id << "\n";
//   });
//
// Each testee has one case after another: the next that nobody has yet. It may
// spoil a case after it answered it (a second reply, a death). A result is
// therefore told once it can no longer change: when its testee's next case has
// run, or the testee has stopped.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASES_H_

#include <functional>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// The testees that are used at the same time.
struct TesteesAtOnce {
  std::vector<Testee*> of_all;  // each has one case after another
  // Where there is one it has the cases of several workers, which mostly wait
  // for one another; the others have these when no other case is left.
  Testee* of_workers = nullptr;
};

// Whether several workers run the case's program.
bool IsOfWorkers(const Case& conformance_case);

// Starts the testees and stops them at the end; each is used by one thread,
// the first by the caller's. `on_result` gets each result, one at a time and in
// the order of `cases`, which outlive the results. Where there is a `stop` it
// is asked before each case; true: no further case is put to anybody. A case
// within which a testee throws Interrupted has no result, and no further case
// is put to anybody. Returns whether all cases have a result.
// Errors: those of Testee::Start and of `on_result`, after all have ended;
// ResourceExhausted when the system gives no more threads.
// REQUIRES: testees.of_all.size() >= 1.
bool RunCases(const std::vector<const Case*>& cases,
              const TesteesAtOnce& testees, const Dialect& dialect,
              const std::function<void(CaseResult)>& on_result,
              const std::function<bool()>& stop = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASES_H_
