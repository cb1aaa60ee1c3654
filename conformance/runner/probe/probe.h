// Checks every message of a testee under development, and reports each mistake
// with its place and advice: //conformance:run with --probe.
//
// It starts the testee, reads its declaration, runs small programs (some for
// each declared step), then tries an unknown step, a failing program, stop, an
// unknown command, and the end of the input. It does not check whether answers
// are right.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROBE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROBE_H_

#include <ostream>
#include <string>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/cases/operations.h"
#include "conformance/runner/probe/conversation.h"

namespace lockstep {

// The known steps and conventions, and the cases to run.
struct ProbeCatalogue {
  const std::vector<const Case*>& cases;
  const Operations& operations;
  const Conventions& conventions;
  std::string schemas = "conformance/schemas/pipe";
};

// Prints a report to `out`, and returns whether it has no mistake. Errors:
// those of ChildProcess and MessageCheck.
bool ProbeTestee(const ConversationOptions& options,
                 const ProbeCatalogue& catalogue, std::ostream& out);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROBE_H_
