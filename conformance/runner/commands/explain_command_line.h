// The program //conformance:explain: tells all that is known of one case.
//
//   ./bazelw run //conformance:explain -- input/rebatch/last_global_batch_is_split
//   ./bazelw run //conformance:explain -- reduce/gather/x --as=tensorflow
//
// What it says, where it is documented, its program, what is expected, and the
// known result of every implementation. With --as it runs the script that
// shows an implementation's deviation in the framework's own language.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/deviations/deviations.h"

namespace lockstep {

// Runs a program with this one's input and output, to its end.
// Returns its exit status, or 128 + the signal that ended it. Errors: NotFound
// when it cannot be started. REQUIRES: the command is not empty.
int RunProgram(const std::vector<std::string>& command);

// What is known of a case and each implementation, without running any: the
// lists of deviations, answers that were recorded, and results that were kept.
struct KnownResult {
  std::string implementation;  // the list's or the result file's name
  // As a kept result or recorded answers say; nullopt where there are none.
  std::optional<std::string> verdict = {};
  std::string version = {};  // "TensorFlow 2.21.0" and the day, of these
  Json observed = nullptr;   // of recorded answers, as WhatCameInstead says it
  std::optional<Deviation> deviation = {};
  // What it lacks of the case, with the testee's reasons where these are recorded.
  std::vector<Unsupported> lacks = {};
};

// In order of names. `deviations_folder` holds <implementation>.json, as does
// `results_folder` (files of //conformance:run --json), unless its name is
// empty. Errors: NotFound for a folder, InvalidArgument for a malformed file.
std::vector<KnownResult> FindKnownResults(const Case& conformance_case,
                                          const std::string& deviations_folder,
                                          const std::string& results_folder);

// Adds what the newest answers of the implementation come to, where it has some
// below `answers_folder` and no result was kept.
void AddRecordedAnswers(const Case& conformance_case,
                        const Conventions& conventions,
                        const std::string& answers_folder, KnownResult& known);

// A few lines: verdict, what was observed, reason, references, script.
std::string DescribeKnownResult(const KnownResult& known);

// Returns the exit status: 0, that of the script with --as, or 2 when there is
// no such case, deviation or script.
int ExplainCommandLine(int argc, char** argv);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_
