// //conformance:run. All its testees, the reference too, are processes of their
// own: one that hangs, dies or takes too much has its verdict, no more.
#include "conformance/runner/commands/command_line.h"
#include "conformance/runner/commands/user_paths.h"

int main(int argc, char** argv) {
  lockstep::EnterOwnFiles("conformance/testees/reference/pipe");
  return lockstep::RunCommandLine(argc, argv, {});
}
