// Numbers and other literals that a program leaves open and `given` tells, so
// that one program can run in several ways:
//
//   "given": {"strategy": "mirrored", "replicas": 2,
//             "parameters": {"batch": 4}}
//   {"step": "dataset.batch", "of": "numbers", "size": {"parameter": "batch"}}
//
// A testee is never told: it gets the program with the literals in place.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_PARAMETERS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_PARAMETERS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "conformance/runner/text/json_file.h"
#include "reference/base/json.h"

namespace lockstep {

// The name that `value` leaves open: "batch" of {"parameter": "batch"}.
std::optional<std::string> ParameterIn(const Json& value);

// The program with the parameters' values in place. REQUIRES: CheckParameters.
Json WithParameters(Json program, const Json& parameters);

// Errors: InvalidArgument for a parameter of the program that `parameters` has
// not, and for one there that the program does not use.
void CheckParameters(const JsonCursor& program, const JsonCursor& parameters);

// `given` as it is for a testee, with the parameters apart.
struct SplitGiven {
  Json given;
  Json parameters = Json::object();
};
SplitGiven SplitOff(const Json& given);

// `given` with the fields, and the parameters, of `other` in their places.
Json MergeGiven(const Json& given, const Json& other);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_PARAMETERS_H_
