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

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/control/control_plane.h"

namespace lockstep {

inline constexpr char kLibraryVersion[] = "0.1";

// Files in PEM form. Each side shows its certificate, and takes only one that
// the authority has signed; the chief's must hold the name or address by which
// workers reach it.
struct TlsFiles {
  std::string authority;
  std::string certificate;
  std::string key;
};

struct ControlPlaneOptions {
  // Where the chief is reached, in place of what the cluster says. A port of 0
  // is for a chief that listens at any free one.
  std::optional<WorkerAddress> chief = {};
  // The interface that the chief listens on, by name or address; the default is
  // for workers of one machine, "0.0.0.0" is every interface.
  std::string listen_host = "127.0.0.1";
  // Called on the chief when it listens, with its port.
  std::function<void(int port)> listening = {};

  // Workers with another token are not let in.
  std::string token = {};
  std::optional<TlsFiles> tls = {};

  // The same on all workers, or none starts: what they run, as text.
  std::string program = {};
  std::string library_version = kLibraryVersion;

  // How long all workers have to come.
  std::chrono::milliseconds join_timeout = std::chrono::minutes(5);
  // A worker that has stopped is noticed after at most both together.
  std::chrono::milliseconds heartbeat_interval = std::chrono::seconds(1);
  std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(10);
};

// Returns when all workers have come. Errors:
//   - InvalidArgument for options that contradict themselves or the cluster: no
//     place to meet, times that are not positive, an interface that others can
//     reach with neither token nor TLS, a file that is no certificate or key;
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
