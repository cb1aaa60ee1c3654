// For tests: a worker in its own process, and its group.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_CONNECT_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_CONNECT_TESTING_H_

#include <chrono>
#include <memory>

#include "reference/cluster/control/connect_control_plane.h"
#include "reference/collectives/gloo/gloo_group.h"

namespace lockstep {

struct ConnectedWorker {
  std::unique_ptr<ControlPlane> control;
  std::unique_ptr<Group>
      group;  // waits a second for a worker that sends nothing
};

inline ConnectedWorker ConnectWorker(int worker, int num_workers,
                                     const ControlPlaneOptions& options) {
  ConnectedWorker connected;
  connected.control = ConnectControlPlane(
      ClusterSpec({.num_workers = num_workers, .worker = WorkerId(worker)}),
      options);
  connected.group = MakeGlooGroup(*connected.control,
                                  {.stall_limit = std::chrono::seconds(1)});
  return connected;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_CONNECT_TESTING_H_
