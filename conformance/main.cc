// //conformance:run. Its testee inside the process is the reference.
#include "conformance/runner/commands/command_line.h"
#include "conformance/testees/reference/reference_testee.h"

int main(int argc, char** argv) {
  return lockstep::RunCommandLine(
      argc, argv,
      {{"reference", [] {
          return std::make_unique<lockstep::conformance::ReferenceTestee>();
        }}});
}
