// The reference as a process of its own, behind the pipe protocol.
#include "conformance/runner/pipe/testee_server.h"
#include "conformance/testees/reference/reference_testee.h"

int main() {
  lockstep::conformance::ReferenceTestee testee;
  return lockstep::ServeTesteeOnStdio(testee);
}
