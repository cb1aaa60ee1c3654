// Values that have a name, and the places of a program that say it:
//
//   {"literal": "two_layers"}, {"parameter": "batch"}
//
// `kind` is the field: "literal", whose values stand at the head of a file of
// cases, or "parameter" (parameters.h).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_NAMED_VALUES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_NAMED_VALUES_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "conformance/runner/text/json_file.h"
#include "reference/base/json.h"

namespace lockstep {

// "batch" of {"parameter": "batch"}.
std::optional<std::string> NameIn(const Json& value, std::string_view kind);

// The program with the values in their places. REQUIRES: CheckNames.
Json WithValues(Json program, std::string_view kind, const Json& values);

// The names that the program says. Errors: InvalidArgument for one that
// `values`, an object, has not; `owner` says whose they are.
std::set<std::string> CheckNames(const JsonCursor& program,
                                 std::string_view kind, const Json& values,
                                 std::string_view owner);

// Errors: InvalidArgument for a name that is none in lower snake case, or that
// is not in `used`; `complaint` says who does not use it: "the program does not".
void CheckAllUsed(const JsonCursor& values, const std::set<std::string>& used,
                  std::string_view complaint);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_NAMED_VALUES_H_
