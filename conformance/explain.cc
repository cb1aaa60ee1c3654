// //conformance:explain: all that is known about one case.
#include "conformance/runner/commands/explain_command_line.h"
#include "conformance/runner/commands/user_paths.h"

int main(int argc, char** argv) {
  lockstep::ChangeToRunfiles("conformance/cases");
  return lockstep::ExplainCommandLine(argc, argv);
}
