// What a case's program may hold, as far as the language says it anywhere: its
// form, its steps and the observations it makes. What each step wants of its
// arguments stands in operations.md and is tools/check_cases' to prove.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_PROGRAM_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "conformance/runner/text/json_file.h"
#include "reference/base/json.h"

namespace lockstep {

// How much a program may ask for (operations.md): enough for any case, and
// little enough that a slip of the pen is refused instead of tried.

// Replicas, and logical devices; each replica may be a thread or a process.
inline constexpr int64_t kMostReplicas = 64;

// Rounds of one program.repeat.
inline constexpr int64_t kMostRounds = 1'000'000;

// The names of all observations of a program, those of its blocks included, in
// the order of the steps.
std::vector<std::string> ObservationNamesOf(const Json& program);

// The steps a program may use: the headings "### `name`" of operations.md.
using StepNames = std::set<std::string, std::less<>>;

// Errors: NotFound; InvalidArgument for a step that stands there twice, or a
// document without steps.
StepNames LoadStepNames(const std::string& path);

using ObservationNames = std::set<std::string, std::less<>>;

// Checks the form of a program and returns the names of all its observations,
// blocks included. Errors: InvalidArgument for an empty program, an unknown
// step, a name that is none, an observation made by two steps.
ObservationNames CheckProgram(const JsonCursor& program,
                              const StepNames& steps);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_PROGRAM_H_
