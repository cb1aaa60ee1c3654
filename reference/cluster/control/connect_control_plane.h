// How the workers of a cluster come to have a control plane.
//
//   const ClusterSpec cluster = EnvironmentClusterResolver().Resolve();
//   ControlPlaneOptions options;
//   options.listen_host = "0.0.0.0";        // the chief alone looks at it
//   options.token = ReadToken();
//   auto control = ConnectControlPlane(cluster, options);
//   control->Barrier("ready", deadline);    // all are there
//
// The chief listens at one port, and every other worker keeps one connection to
// it, by gRPC. Workers may start in any order. One worker alone needs no
// network, and no port is opened.
//
// A process that has called it must not fork without exec.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONNECT_CONTROL_PLANE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONNECT_CONTROL_PLANE_H_

#include <memory>

#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/control_plane_options.h"

namespace lockstep {

// Returns when all workers have come. Errors:
//   - InvalidArgument for options that contradict themselves or the cluster: no
//     address of a chief, times that are not positive, an interface that others
//     can reach with neither token nor TLS, a file that is no certificate or key;
//   - NotFound for a file that is missing, a host name that does not resolve;
//   - Unavailable where the chief cannot listen, or a worker died meanwhile;
//   - DeadlineExceeded, with the names of the missing;
//   - Unauthenticated for a wrong token or certificate. The others wait on;
//   - FailedPrecondition for a worker of another run or another number of
//     workers, or one that is there already: the others wait on. On all
//     workers, where they differ in program or library version.
std::unique_ptr<ControlPlane> ConnectControlPlane(
    const ClusterSpec& cluster, const ControlPlaneOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONNECT_CONTROL_PLANE_H_
