// Registers a GoogleTest for every case, so that each can run alone.
//
//   int main(int argc, char** argv) {
//     ReferenceTestee testee;
//     return RunCaseTests(argc, argv, testee);
//   }
//
// Command line, in addition to GoogleTest's options:
//   --cases=FILE_OR_FOLDER   default conformance/cases
//   --target=LABEL           for the command that reruns a failed case
//   --differs=ID             an expectation of level `observed` of this case
//                            does not hold here, by decision (repeatable)
//
// The tests are named "<testee>.<case id>". An unsupported step is a failure.
// Expectations of level `observed` are judged too: they must hold, unless the
// case is named in --differs; a case that is named there although they hold is
// a failure.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_CASE_TESTS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_CASE_TESTS_H_

#include "conformance/runner/testee.h"

namespace lockstep {

// Returns the exit status: 0 if every test passed, 1 if not, 2 if the cases
// could not be read.
int RunCaseTests(int argc, char** argv, Testee& testee);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_CASE_TESTS_H_
