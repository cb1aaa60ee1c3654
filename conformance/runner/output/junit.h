// The results of a run as JUnit XML, in the form that Jenkins and GitLab read.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_JUNIT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_JUNIT_H_

#include <string>

#include "conformance/runner/output/suite_result.h"
#include "conformance/runner/sources.h"

namespace lockstep {

// A test suite a topic, a test a case, and one more suite for entries of the
// list of deviations that are wrong in themselves. It is red exactly where the
// run is not as expected:
//   <failure>  a case that is not as the list says
//   <error>    such a case that ended with an error, or without an answer
//   <skipped>  a case that differs as listed, or is unsupported as listed
// An interrupted run ends with a test "complete" that failed.
std::string ToJUnit(const SuiteResult& suite, const Sources& sources);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_JUNIT_H_
