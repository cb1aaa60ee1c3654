// The results of a run for people: a step summary of a build server, say.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_MARKDOWN_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_MARKDOWN_H_

#include <string>

#include "conformance/runner/output/suite_result.h"
#include "conformance/runner/sources.h"

namespace lockstep {

// What is not as expected, a table of topics by verdict, then each case that
// did not pass: explained where it is unexpected, else with the list's reason.
std::string ToMarkdown(const SuiteResult& suite, const Sources& sources);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_MARKDOWN_H_
