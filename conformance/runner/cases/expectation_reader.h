// Reads the "expect" list of a case.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_EXPECTATION_READER_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_EXPECTATION_READER_H_

#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/cases/program.h"
#include "conformance/runner/text/json_file.h"

namespace lockstep {

// Errors: InvalidArgument for an unknown level.
Level ReadLevel(const JsonCursor& cursor);

// Expectations without a level of their own have the case's. Errors:
// InvalidArgument for no or several relations, an observation or step that the
// program has not, an observation of which nothing is expected, a tolerance
// without `because`, an unknown error class, an unknown convention or value in
// `when`, an error beside others that apply when it does, a level above the
// case's, none of the case's, and so on.
std::vector<Expectation> ReadExpectations(const JsonCursor& cursor,
                                          Level case_level,
                                          const ProgramNames& program,
                                          const Conventions& conventions);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_EXPECTATION_READER_H_
