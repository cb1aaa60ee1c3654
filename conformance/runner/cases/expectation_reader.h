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

// An expectation without a level has that of the case. Errors: InvalidArgument
// for no or several relations, an observation or step that is not in the
// program, an observation that no expectation uses, a tolerance without
// `because`, an unknown error class, an unknown convention or value in `when`,
// an expected error together with other expectations that apply at the same
// time, a level above that of the case, no expectation of the level of the
// case, and so on.
std::vector<Expectation> ReadExpectations(const JsonCursor& cursor,
                                          Level case_level,
                                          const ProgramNames& program,
                                          const Conventions& conventions);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_EXPECTATION_READER_H_
