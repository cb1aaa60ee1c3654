// //conformance:run. All its testees, the reference too, are processes of their
// own: one that hangs, dies or takes all memory has its verdict, no more.
#include "conformance/runner/commands/command_line.h"

int main(int argc, char** argv) {
  return lockstep::RunCommandLine(argc, argv, {});
}
