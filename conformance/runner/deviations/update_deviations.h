// The list of deviations that a run would be as expected with.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_

#include <string>
#include <vector>

#include "conformance/runner/deviations/deviation_check.h"

namespace lockstep {

// Entries that still hold stay as they are; a pattern that no longer holds for
// all its cases becomes an entry for each case for which it does. Entries that
// do not hold go; cases that differ newly get an entry for `versions` with an
// empty reason and reference, which FindUnexpected asks for. What is only
// advised gets no new entry.
// What is unsupported is a lack, said once for each step and reason, with the
// reference that it had, or one for the same reason; where the testee's dialect
// is the reason, conventions.json is it.
// Entries and lacks without a case among `records` stay if only a part was run,
// counts too. A protocol error is never listed, and an entry of its case stays:
// the testee has to be mended first.
Deviations UpdateDeviations(const Deviations& deviations,
                            const std::vector<CaseRecord>& records,
                            const CaseIds& ids, const std::string& versions);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_
