// Which observations a program makes.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OBSERVATION_NAMES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OBSERVATION_NAMES_H_

#include <string>
#include <vector>

#include "reference/base/json.h"

namespace lockstep {

// The names of all observations of a program, those of its blocks included, in
// the order of the steps.
std::vector<std::string> ObservationNamesOf(const Json& program);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OBSERVATION_NAMES_H_
