// How workers find, trust and watch each other.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_OPTIONS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_OPTIONS_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "reference/cluster/cluster_spec.h"

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
  // A worker that has stopped is noticed after at most both together; a worker
  // lets a second pass between two heartbeats, also where the interval is less.
  std::chrono::milliseconds heartbeat_interval = std::chrono::seconds(1);
  std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(10);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_OPTIONS_H_
