// Runs many cases against an implementation and prints the results.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_SUITE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_SUITE_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/cases/case.h"
#include "conformance/runner/commands/same_answers.h"
#include "conformance/runner/output/suite_result.h"
#include "conformance/runner/verdicts/run_cases.h"

namespace lockstep {

struct RunSuiteOptions {
  const Sources& sources;
  const SameAnswers& same_answers;  // of other implementations
  bool verbose = false;             // print a line for every case
  // Called between cases; true stops the run.
  std::function<bool()> interrupted = {};
};

// Fills in records, times and `complete` of `suite`, whose other members
// contain the expected results. Prints an explanation of each unexpected
// result, with the command that runs its case alone and the implementations
// that deviate in the same way; unlisted unsupported cases only if verbose.
// Errors: those of RunCases. REQUIRES: testees.general.size() >= 1.
void RunSuite(const std::vector<const Case*>& cases, const TesteePool& testees,
              const RunSuiteOptions& options, SuiteResult& suite);

// The same for stored answers. `now`: as in JudgeAnswers. REQUIRES:
// suite.declaration is that of the store.
void JudgeSuite(const std::vector<const Case*>& cases, const AnswerStore& store,
                const Provenance& now, const RunSuiteOptions& options,
                SuiteResult& suite);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_SUITE_H_
