// Checks every message of a testee under development, and says what is wrong,
// where, and what to do: //conformance:run with --probe.
//
// It starts the testee, has it declare itself, puts small programs to it (some
// for each step it declares), then a step that does not exist, a program that
// fails, stop, a command that does not exist and a runner that is gone. Whether
// answers are right is not its question.
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

// What a testee may declare, and what is put to it.
struct ProbeCatalogue {
  const std::vector<const Case*>& cases;
  const Operations& operations;
  const Conventions& conventions;
  std::string schemas = "conformance/schemas/pipe";
};

// Whether nothing is wrong with the testee; tells all on `out`.
// Errors: those of ChildProcess and MessageCheck.
bool ProbeTestee(const ConversationOptions& options,
                 const ProbeCatalogue& catalogue, std::ostream& out);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_PROBE_H_
