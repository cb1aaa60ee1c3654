// //conformance:explain: all that is known of one case.
#include "conformance/runner/commands/explain_command_line.h"

int main(int argc, char** argv) {
  return lockstep::ExplainCommandLine(argc, argv);
}
