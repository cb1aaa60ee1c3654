// The conformance tests of the reference: one test per case.
#include "conformance/runner/verdicts/case_tests.h"
#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/workers/workers_testee.h"

int main(int argc, char** argv) {
  namespace conformance = lockstep::conformance;
  if (const auto ended = conformance::ServeIfWorker(argc, argv)) return *ended;
  conformance::ReferenceTestee alone;
  conformance::WorkersTestee testee(alone);
  return lockstep::RunCaseTests(argc, argv, testee);
}
