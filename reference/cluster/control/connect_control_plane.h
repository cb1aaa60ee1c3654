// Connects the workers of a cluster by a control plane.
//
//   const ClusterSpec cluster = EnvironmentClusterResolver().Resolve();
//   ControlPlaneOptions options;
//   options.listen_host = "0.0.0.0";        // used on the chief only
//   options.token = ReadToken();
//   auto control = ConnectControlPlane(cluster, options);
//   control->Barrier("ready", deadline);    // all workers have started
//
// The chief listens on one port, and every other worker keeps one gRPC
// connection to it. Workers may start in any order. A single worker uses no
// network and opens no port.
//
// A process that has called it must not fork without exec.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONNECT_CONTROL_PLANE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONNECT_CONTROL_PLANE_H_

#include <memory>

#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/control_plane_options.h"

namespace lockstep {

// Returns when all workers have joined. Errors:
//   - InvalidArgument for invalid options: no address of the chief, a time that
//     is not positive, an interface that other machines can reach without a
//     token or TLS, a file that is not a certificate or key;
//   - NotFound for a file that is missing, a host name that does not resolve;
//   - Unavailable if the chief cannot listen, or a worker dies meanwhile;
//   - DeadlineExceeded, naming the missing workers;
//   - Unauthenticated for a wrong token or certificate; the others keep
//     waiting;
//   - FailedPrecondition for a worker of another run, of a job of another size,
//     or whose number has joined already; the others keep waiting. On all
//     workers if their programs or library versions differ.
std::unique_ptr<ControlPlane> ConnectControlPlane(
    const ClusterSpec& cluster, const ControlPlaneOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONNECT_CONTROL_PLANE_H_
