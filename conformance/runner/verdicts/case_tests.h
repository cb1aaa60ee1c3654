// Makes a GoogleTest of every case, so that each counts and can run alone.
//
//   int main(int argc, char** argv) {
//     ReferenceTestee testee;
//     return RunCaseTests(argc, argv, testee);
//   }
//
// Command line, beside GoogleTest's own:
//   --cases=FILE_OR_FOLDER   default conformance/cases
//   --target=LABEL           named in the command that reruns a failed case
//   --differs=ID             an expectation of level `observed` of this case
//                            does not hold here, by decision (repeatable)
//
// The tests are "<testee>.<case id>". Here, where nothing may pass by skipping,
// an unsupported step is a failure, and expectations of level `observed` are
// judged too: they hold, or the case is named in --differs; a case that is
// named there and holds is a failure as well.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_CASE_TESTS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_CASE_TESTS_H_

#include "conformance/runner/testee.h"

namespace lockstep {

// Returns the exit status: 0 when every test passed, 1 when not, 2 when the
// cases could not be read.
int RunCaseTests(int argc, char** argv, Testee& testee);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_CASE_TESTS_H_
