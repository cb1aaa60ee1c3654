// The reference's conformance tests: one test a case.
#include "conformance/runner/verdicts/case_tests.h"
#include "conformance/testees/reference/reference_testee.h"

int main(int argc, char** argv) {
  lockstep::conformance::ReferenceTestee testee;
  return lockstep::RunCaseTests(argc, argv, testee);
}
