// Exchanges the facts with which workers connect, before they have a mesh.
//
//   Introduction mine;
//   mine.facts = {my_address};            // or mine.error = why not
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

// Returns all workers' facts, by worker; all have the same number of them.
// Errors, on all workers and starting with `operation`: the lowest worker's
// own; FailedPrecondition if programs do not understand each other's messages;
// those of the control plane.
std::vector<std::vector<std::string>> Introduce(ControlPlane& control,
                                                std::string_view operation,
                                                const Introduction& mine,
                                                Deadline deadline);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_INTRODUCTION_H_
