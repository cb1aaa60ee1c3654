// The reference as a separate process, over the pipe protocol.
#include "conformance/runner/pipe/testee_server.h"
#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/workers/workers_testee.h"

int main(int argc, char** argv) {
  namespace conformance = lockstep::conformance;
  if (const auto ended = conformance::ServeIfWorker(argc, argv)) return *ended;
  conformance::ReferenceTestee alone;
  conformance::WorkersTestee testee(alone);
  return lockstep::ServeTesteeOnStdio(testee);
}
