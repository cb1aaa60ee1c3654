// //conformance:run. Every testee, also the reference, is a separate process, so
// that one that hangs, crashes or exceeds a limit does not affect the runner.
#include "conformance/runner/commands/command_line.h"
#include "conformance/runner/commands/user_paths.h"

int main(int argc, char** argv) {
  lockstep::ChangeToRunfiles("conformance/testees/reference/pipe");
  return lockstep::RunCommandLine(argc, argv, {});
}
