// Perturbs the inputs of a program by a rounding unit. The effect on an
// observation estimates the effect of rounding (verdicts/rounding.h).
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

// Pairs of a step and its argument that becomes a tensor of numbers:
// {"variable.create", "value"}.
using InputFields = std::set<std::pair<std::string, std::string>>;

// The arguments of type `data` of the program's steps.
InputFields InputFieldsOf(const Json& program, const Operations& operations);

// Each number x in such an argument becomes x (1 + u) or x (1 - u), where u is
// the rounding unit and random bits, different for each `trial` from 1, choose
// the sign. Steps whose `dtype` is not a float are unchanged. Trial 0: the
// unchanged program.
Json MoveInputs(Json program, const InputFields& fields, int trial);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_MOVED_INPUTS_H_
