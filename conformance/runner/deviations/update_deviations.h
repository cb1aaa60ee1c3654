// The list of deviations that a run would be as expected with.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_

#include <vector>

#include "conformance/runner/deviations/deviation_check.h"

namespace lockstep {

// Cases that still deviate stay under their entry, those that pass go, and those
// that are unsupported now: their steps say why. A pattern that no longer holds for
// all its cases becomes the ids of those for which it does. New cases come into new
// entries, one for each verdict, class of error and step at which it came, which is
// a guess at a common cause; their reasons and references are empty, which
// FindUnexpected asks for. What is only advised is not listed by itself.
// Steps that no case lacks any more go; new ones come into one entry with an empty
// reference.
// Of a part of the cases, what the list says of others stays. A protocol error is
// never listed, and an entry of its case stays: the testee has to be mended first.
Deviations UpdateDeviations(const Deviations& deviations,
                            const std::vector<CaseRecord>& records,
                            const CaseIds& ids);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_UPDATE_DEVIATIONS_H_
