// Checks programs: steps of operations.md with valid arguments, and names that
// are bound where they are used.
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

// Limits of a program (operations.md): enough for any case, small enough to
// reject a typing error.
//
// Replicas, and logical devices; each replica may be a thread or a process.
inline constexpr int64_t kMaxReplicas = 64;

// Workers, each of which is one or more processes; and parameter servers.
inline constexpr int64_t kMaxWorkers = 8;

// The numbers of a partitioner: shards, or bytes of one.
inline constexpr int64_t kMaxShardBytes = 1 << 30;

// Rounds of one program.repeat.
inline constexpr int64_t kMaxRounds = 1'000'000;

// The names of all observations, or of all steps, of a program and its blocks,
// in the order of the steps.
std::vector<std::string> ObservationNamesOf(const Json& program);
std::vector<std::string> StepNamesOf(const Json& program);

using Names = std::set<std::string, std::less<>>;

// The names of the observations and steps of a program and its blocks.
struct ProgramNames {
  Names observations;
  Names steps;
};

// Checks a program and returns the names in it. `given`: the names that are
// bound before the first step. Errors: InvalidArgument for an empty program, an
// unknown step, an argument that is missing, unknown or of another type, a
// malformed, unknown or unused name, a result of a step that gives nothing, an
// observation made by two steps or in a block that runs an unspecified number
// of times.
ProgramNames CheckProgram(const JsonCursor& program,
                          const Operations& operations, const Names& given);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_PROGRAM_H_
