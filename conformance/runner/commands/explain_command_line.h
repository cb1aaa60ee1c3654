// The program //conformance:explain: prints all that is known about one case.
//
//   ./bazelw run //conformance:explain -- input/rebatch/last_global_batch_is_split
//   ./bazelw run //conformance:explain -- reduce/gather/x --as=tensorflow
//
// It prints the statement of the case, its sources, its program, the
// expectations, and the known result of every implementation. With --as it runs
// the script that shows an implementation's deviation in the framework's own
// API.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/deviations/deviations.h"

namespace lockstep {

// Runs a program to its end, with this program's input and output. Returns its
// exit status, or 128 + the signal that ended it. Errors: NotFound when it
// cannot be started. REQUIRES: the command is not empty.
int RunProgram(const std::vector<std::string>& command);

// What is known about a case and an implementation, without running it: from
// the list of deviations, recorded answers, and stored results.
struct KnownResult {
  std::string implementation;  // the name of its list or result file
  // From a stored result or recorded answers; nullopt if there are none.
  std::optional<std::string> verdict = {};
  std::string version = {};  // of that, "TensorFlow 2.21.0, 2026-11-21"
  Json observed = nullptr;   // ActualOutcome of recorded answers
  std::optional<Deviation> deviation = {};
  // The steps of the case that it does not support, with the testee's reasons
  // if these are recorded.
  std::vector<Unsupported> unsupported = {};
};

// Sorted by name. Both folders contain <implementation>.json: lists of
// deviations, and files of //conformance:run --json. `results_folder` may be
// empty. Errors: NotFound for a missing folder, InvalidArgument for a malformed
// file.
std::vector<KnownResult> FindKnownResults(const Case& conformance_case,
                                          const std::string& deviations_folder,
                                          const std::string& results_folder);

// Adds the result by the newest answers of the implementation in
// `answers_folder`, unless there is a stored result.
void AddRecordedAnswers(const Case& conformance_case,
                        const Conventions& conventions,
                        const std::string& answers_folder, KnownResult& known);

// A few lines: verdict, what was observed, reason, references, script.
std::string DescribeKnownResult(const KnownResult& known);

// Returns the exit status: 0, with --as that of the script, or 2 if there is no
// such case, deviation or script.
int ExplainCommandLine(int argc, char** argv);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_
