// Puts many cases to an implementation and tells a person how it goes.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_SUITE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_SUITE_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/cases/case.h"
#include "conformance/runner/output/suite_result.h"
#include "conformance/runner/verdicts/run_cases.h"

namespace lockstep {

struct RunSuiteOptions {
  const Sources& sources;
  bool verbose = false;  // a line for every case
  // Asked between cases; true: stop here.
  std::function<bool()> interrupted = {};
};

// Fills in records, times and `complete` of `suite`, whose other members say
// what is expected. Each result that is not expected is explained on stdout,
// with the command that runs its case alone; unlisted lacks only when verbose.
// Errors: those of RunCases.
// REQUIRES: testees.of_all.size() >= 1.
void RunSuite(const std::vector<const Case*>& cases,
              const TesteesAtOnce& testees, const RunSuiteOptions& options,
              SuiteResult& suite);

// The same of answers that were kept, where `suite.declaration` is the store's.
// `now`: what would answer today, where that is known.
void JudgeSuite(const std::vector<const Case*>& cases, const AnswerStore& store,
                const Provenance& now, const RunSuiteOptions& options,
                SuiteResult& suite);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_SUITE_H_
