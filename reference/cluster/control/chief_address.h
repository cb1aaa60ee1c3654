// The address at which workers reach the chief, and the check of the options.
//
//   FindChief(ClusterSpec of TF_CONFIG, {});   // its first address
//   FindChief(ClusterSpec of torchrun, {});    // MASTER_ADDR, MASTER_PORT + 1
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CHIEF_ADDRESS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CHIEF_ADDRESS_H_

#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane_options.h"

namespace lockstep::control_internal {

// options.chief; else the master that the launcher or a script names, with the
// next port if the launcher itself listens on the master's; else worker 0's
// address in the cluster. Errors: InvalidArgument if there is none of these, or
// if the port is 0 on a worker that is not the chief.
WorkerAddress FindChief(const ClusterSpec& cluster,
                        const ControlPlaneOptions& options);

// Errors: InvalidArgument, see ConnectControlPlane.
void CheckOptions(const ControlPlaneOptions& options);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CHIEF_ADDRESS_H_
