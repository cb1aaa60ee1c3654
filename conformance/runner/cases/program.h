// What a case's program may hold: steps of operations.md with the arguments
// that they want, and names that exist where they are used.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_PROGRAM_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "conformance/runner/cases/operations.h"
#include "conformance/runner/text/json_file.h"
#include "reference/base/json.h"

namespace lockstep {

// How much a program may ask for (operations.md): enough for any case, and
// little enough that a slip of the pen is refused instead of tried.
//
// Replicas, and logical devices; each replica may be a thread or a process.
inline constexpr int64_t kMostReplicas = 64;

// Workers, each of them a process or several.
inline constexpr int64_t kMostGivenWorkers = 8;

// Rounds of one program.repeat.
inline constexpr int64_t kMostRounds = 1'000'000;

// The names of all observations of a program, or of all its steps, those of its
// blocks included, in the order of the steps.
std::vector<std::string> ObservationNamesOf(const Json& program);
std::vector<std::string> StepNamesOf(const Json& program);

using Names = std::set<std::string, std::less<>>;

// What the steps of a program, those of its blocks included, are called.
struct ProgramNames {
  Names observations;
  Names steps;
};

// Checks a program and returns the names in it. `given`: those that stand for
// something before its first step. Errors: InvalidArgument for an empty
// program, an unknown step, an argument that is missing, unknown or of another
// type, a name that is none, that nothing has here, or that nobody uses, a
// result of a step that gives nothing, an observation made by two steps or in a
// block of which nobody can say how often it runs.
ProgramNames CheckProgram(const JsonCursor& program,
                          const Operations& operations, const Names& given);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_PROGRAM_H_
