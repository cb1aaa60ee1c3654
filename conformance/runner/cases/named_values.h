// Named values, and the placeholders for them in a program:
//
//   {"literal": "two_layers"}, {"parameter": "batch"}
//
// `kind` is the field: "literal", whose values are at the top of a case file,
// or "parameter" (parameters.h).
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

// The program with the values in place of the placeholders. REQUIRES:
// CheckNames.
Json WithValues(Json program, std::string_view kind, const Json& values);

// The names that the program uses. Errors: InvalidArgument for a name that the
// object `values` does not have; `owner` describes that object.
std::set<std::string> CheckNames(const JsonCursor& program,
                                 std::string_view kind, const Json& values,
                                 std::string_view owner);

// Errors: InvalidArgument for a name that is not in lower snake case, or not in
// `used`. `complaint` begins the message: "the program does not".
void CheckAllUsed(const JsonCursor& values, const std::set<std::string>& used,
                  std::string_view complaint);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_NAMED_VALUES_H_
