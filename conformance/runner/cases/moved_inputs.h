// A program whose inputs are moved by a rounding unit: what that changes of an
// observation bounds what rounding may change of it.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_MOVED_INPUTS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_MOVED_INPUTS_H_

#include <set>
#include <string>
#include <utility>

#include "conformance/runner/cases/operations.h"
#include "reference/base/json.h"

namespace lockstep {

// The spacing of float32 at 1.
inline constexpr double kRoundingUnit = 0x1p-23;

// Steps and those of their arguments that make tensors of numbers: {"variable.
// create", "value"}.
using InputFields = std::set<std::pair<std::string, std::string>>;

// The arguments of type `data` of the program's steps.
InputFields InputFieldsOf(const Json& program, const Operations& operations);

// Each number x that stands in such an argument becomes x (1 + u) or x (1 - u),
// u the rounding unit; which, a stream of random bits says, another for each
// `trial` from 1. Of a step whose `dtype` is no float nothing moves. Trial 0: the
// program as it is.
Json MoveInputs(Json program, const InputFields& fields, int trial);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_MOVED_INPUTS_H_
