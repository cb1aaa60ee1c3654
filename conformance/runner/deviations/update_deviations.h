// Updates a list of deviations to match a run.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_

#include <vector>

#include "conformance/runner/deviations/deviation_check.h"

namespace lockstep {

// Cases that still deviate stay in their entry. Cases that pass are removed,
// and so are unsupported ones, whose steps are listed instead. A pattern that
// no longer fits all its cases is replaced by the ids of those that it still
// fits. New cases are added in new entries, one for each combination of
// verdict, error class and step, which is a guess at a common cause; their
// reasons and references are empty, which FindUnexpected reports.
// Recommendations that do not hold are not added.
// Steps that every case supports now are removed; new unsupported steps are
// added in one entry with an empty reference.
// If only a part of the cases ran, the entries of other cases stay. A protocol
// error is never listed, and an entry of its case stays: the testee must be
// fixed first.
Deviations UpdateDeviations(const Deviations& deviations,
                            const std::vector<CaseRecord>& records,
                            const CaseIds& ids);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_
