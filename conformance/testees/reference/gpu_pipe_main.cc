// The reference on logical parts of a GPU, over the pipe protocol.
#include <fmt/core.h>

#include <cstdio>

#include "conformance/runner/pipe/testee_server.h"
#include "conformance/testees/reference/reference_testee.h"
#include "reference/base/error.h"

int main() {
  try {
    lockstep::conformance::ReferenceTestee testee(lockstep::DeviceKind::kGpu);
    return lockstep::ServeTesteeOnStdio(testee);
  } catch (const lockstep::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
