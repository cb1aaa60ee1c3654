// Checks the content of well-formed messages: that cases can be run against a
// declaration, and that a reply answers its program.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROBE_CONTENT_CHECK_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROBE_CONTENT_CHECK_H_

#include <cstdint>

#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/cases/operations.h"
#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/probe/report.h"
#include "conformance/runner/testee.h"

namespace lockstep {

Mistakes MistakesIn(const TesteeDeclaration& declaration,
                    const Operations& operations,
                    const Conventions& conventions);

// The mistakes in a reply to `program`, which was sent with `seq`.
Mistakes MistakesIn(const Reply& reply, int64_t seq, const Json& program);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_CONTENT_CHECK_H_
