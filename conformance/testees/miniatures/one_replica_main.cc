// The reference on one replica, over the pipe protocol.
#include "conformance/runner/pipe/testee_server.h"
#include "conformance/testees/miniatures/one_replica.h"
#include "conformance/testees/reference/reference_testee.h"

int main() {
  lockstep::conformance::ReferenceTestee reference;
  lockstep::OneReplicaTestee testee(reference);
  return lockstep::ServeTesteeOnStdio(testee);
}
