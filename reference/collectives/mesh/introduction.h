// How workers that are to make a mesh tell each other where they are.
//
//   Introduction mine;
//   mine.facts = {my_address};            // or mine.error = why there is none
//   const auto all = Introduce(control, "MakeGlooGroup", mine, deadline);
//   all[1][0];                            // worker 1's address
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_INTRODUCTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_INTRODUCTION_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/deadline.h"
#include "reference/base/error.h"
#include "reference/cluster/control/control_plane.h"

namespace lockstep::collectives_internal {

struct Introduction {
  // Why this worker cannot take part: all workers get it.
  std::optional<Error> error = std::nullopt;
  std::vector<std::string> facts = {};
};

// All workers' facts, by worker: as many of each. Errors, on all workers, led
// by `operation`: the lowest worker's own; FailedPrecondition for programs that
// do not understand each other's messages; those of the control plane.
std::vector<std::vector<std::string>> Introduce(ControlPlane& control,
                                                std::string_view operation,
                                                const Introduction& mine,
                                                Deadline deadline);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_INTRODUCTION_H_
