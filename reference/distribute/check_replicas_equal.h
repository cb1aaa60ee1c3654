// The invariant everything rests on: mirrored copies hold the same bits.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_CHECK_REPLICAS_EQUAL_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_CHECK_REPLICAS_EQUAL_H_

#include <vector>

#include "reference/autodiff/variable.h"

namespace lockstep {

// Compares all copies of a mirrored variable bit by bit with copy 0. Variables
// that are allowed to differ, and plain ones, pass. Errors: Internal with the
// variable, the replica and the first element that differs. REQUIRES: no
// replica is running.
void CheckReplicasEqual(const Variable& variable);
void CheckReplicasEqual(const std::vector<VariablePtr>& variables);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_CHECK_REPLICAS_EQUAL_H_
