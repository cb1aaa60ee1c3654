// Prints the conclusion of a finished run.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_CONCLUDE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_CONCLUDE_H_

#include <string>

#include "conformance/runner/output/report_files.h"
#include "conformance/runner/output/suite_result.h"

namespace lockstep {

inline constexpr int kAsExpected = 0;
inline constexpr int kNotAsExpected = 1;
inline constexpr int kCouldNotRun = 2;

// Prints the summary and everything that is not as expected. Returns the exit
// status.
int Conclude(const SuiteResult& suite);

// Writes the list of deviations, whose path is `path`, to `files`, and prints
// what to add to it by hand. Returns the exit status.
int ConcludeUpdate(const SuiteResult& suite, const CaseIds& ids,
                   const std::string& path, ReportFiles& files);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_CONCLUDE_H_
