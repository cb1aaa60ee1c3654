// A worker's end of the control plane: its stream to the chief.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_STREAM_LINK_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_STREAM_LINK_H_

#include <memory>
#include <string>

#include "reference/base/deadline.h"
#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/control/worker_link.h"

namespace lockstep::control_internal {

// Joins the job of the chief at that address. Retries until the deadline,
// because the chief may not listen yet, or its name not resolve yet. Errors:
// DeadlineExceeded; NotFound if the name does not resolve; the chief's
// Unauthenticated and FailedPrecondition; those of the TLS files.
std::unique_ptr<WorkerLink> JoinChief(const ClusterSpec& cluster,
                                      const WorkerAddress& chief,
                                      const ControlPlaneOptions& options,
                                      Deadline deadline, WorkerEvents& events);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_STREAM_LINK_H_
