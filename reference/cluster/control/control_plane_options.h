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

// Paths of PEM files. Each side presents its certificate and accepts only those
// that the authority has signed. The chief's must contain the name or address
// by which workers reach it.
struct TlsFiles {
  std::string authority;
  std::string certificate;
  std::string key;
};

struct ControlPlaneOptions {
  // The chief's address, in place of the cluster's. On the chief, port 0 means
  // any free port.
  std::optional<WorkerAddress> chief = {};
  // The host name or address that the chief listens on. The default is for
  // workers on one machine; "0.0.0.0" is every interface.
  std::string listen_host = "127.0.0.1";
  // Called on the chief, with its port, once it listens.
  std::function<void(int port)> listening = {};

  // Workers with another token are refused.
  std::string token = {};
  std::optional<TlsFiles> tls = {};

  // What the workers run. Both must be the same on all workers.
  std::string program = {};
  std::string library_version = kLibraryVersion;

  // How long to wait for all workers to join.
  std::chrono::milliseconds join_timeout = std::chrono::minutes(5);
  // A stopped worker is noticed after at most their sum. Heartbeats are at
  // least a second apart, even if the interval is shorter.
  std::chrono::milliseconds heartbeat_interval = std::chrono::seconds(1);
  std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(10);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_OPTIONS_H_
