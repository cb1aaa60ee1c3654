// The address at which a cluster's workers reach the chief, and whether the
// options for it make sense.
//
//   FindChief(ClusterSpec of TF_CONFIG, {});   // its first address
//   FindChief(ClusterSpec of torchrun, {});    // MASTER_ADDR, MASTER_PORT + 1
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CHIEF_ADDRESS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CHIEF_ADDRESS_H_

#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane_options.h"

namespace lockstep::control_internal {

// What options.chief says, else the master that the launcher or a script names,
// one port up where the launcher listens itself, else where the cluster knows
// worker 0 to be. Errors: InvalidArgument where none of them is there, or the
// port is 0 on a worker that is not the chief.
WorkerAddress FindChief(const ClusterSpec& cluster,
                        const ControlPlaneOptions& options);

// Errors: InvalidArgument, see ConnectControlPlane.
void CheckOptions(const ControlPlaneOptions& options);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CHIEF_ADDRESS_H_
