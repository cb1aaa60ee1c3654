// JSON as the project writes its files: what fits on a line of 110 columns
// stands on one, the rest is indented by two. tools/check_cases/case_format.py
// is the same in Python.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMPACT_JSON_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMPACT_JSON_H_

#include <string>

#include "reference/base/json.h"

namespace lockstep {

// On one line: {"a": 1, "b": [1, 2]}.
std::string OneLineJson(const Json& value);

// The text of a file, with its line end.
std::string CompactJson(const Json& value);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMPACT_JSON_H_
