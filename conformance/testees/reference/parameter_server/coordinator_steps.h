// Finds out what a program needs of its cluster.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_COORDINATOR_STEPS_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_COORDINATOR_STEPS_H_

#include "reference/base/json.h"

namespace lockstep::conformance {

// Whether a step of the program lets workers run something. Without one the
// program has no use for their processes.
bool HasCoordinator(const Json& program);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_COORDINATOR_STEPS_H_
