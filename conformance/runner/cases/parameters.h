// Parameters of a program, whose values `given` provides, so that one program
// can run in several ways:
//
//   "given": {"strategy": "mirrored", "replicas": 2,
//             "parameters": {"batch": 4}}
//   {"step": "dataset.batch", "of": "numbers", "size": {"parameter": "batch"}}
//
// A testee never sees parameters: it receives the program with their values.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_PARAMETERS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_PARAMETERS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "conformance/runner/text/json_file.h"
#include "reference/base/json.h"

namespace lockstep {

// The name of the parameter: "batch" of {"parameter": "batch"}.
std::optional<std::string> ParameterIn(const Json& value);

// The program with the parameters' values filled in. REQUIRES: CheckParameters.
Json WithParameters(Json program, const Json& parameters);

// Errors: InvalidArgument for a parameter of the program that `parameters` does
// not have, and for one that the program does not use.
void CheckParameters(const JsonCursor& program, const JsonCursor& parameters);

// `given` as a testee receives it, and the parameters.
struct SplitGiven {
  Json given;
  Json parameters = Json::object();
};
SplitGiven SplitOff(const Json& given);

// `given` with the fields and parameters of `other` replaced.
Json MergeGiven(const Json& given, const Json& other);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_PARAMETERS_H_
