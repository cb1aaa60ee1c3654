#include "reference/cluster/control/chief_address.h"

#include <optional>
#include <string>
#include <string_view>

#include "reference/base/error.h"

namespace lockstep::control_internal {
namespace {

std::optional<WorkerAddress> FindMaster(const ClusterSpec& cluster) {
  if (!cluster.master_host() || !cluster.master_port()) return std::nullopt;
  const int port = *cluster.master_port();
  if (!cluster.is_master_port_taken()) {
    return WorkerAddress{*cluster.master_host(), port};
  }
  return WorkerAddress{*cluster.master_host(),
                       port == kLastPort ? port - 1 : port + 1};
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

WorkerAddress FindChief(const ClusterSpec& cluster,
                        const ControlPlaneOptions& options) {
  if (options.chief) {
    const int first = cluster.is_chief() ? 0 : 1;
    if (IsHost(options.chief->host) && options.chief->port >= first &&
        options.chief->port <= kLastPort) {
      return *options.chief;
    }
    throw InvalidArgument(
        "[ConnectControlPlane] the chief's address must be host:port, got '{}'",
        options.chief->ToString());
  }
  if (const auto master = FindMaster(cluster)) return *master;
  if (!cluster.addresses().empty()) return cluster.addresses()[0];
  throw InvalidArgument(
      "[ConnectControlPlane] {} does not name the chief's address: "
      "ControlPlaneOptions::chief is needed",
      cluster.origin());
}

void CheckOptions(const ControlPlaneOptions& options) {
  for (const auto time : {options.join_timeout, options.heartbeat_interval,
                          options.heartbeat_timeout}) {
    // gRPC counts milliseconds as int; a day is ample.
    if (time.count() >= 1 && time <= std::chrono::hours(24)) continue;
    throw InvalidArgument(
        "[ConnectControlPlane] a time must be 1 ms to 24 h, got {} ms",
        time.count());
  }
  if (!IsHost(options.listen_host)) {
    throw InvalidArgument(
        "[ConnectControlPlane] listen_host must be a name or an address, got "
        "'{}'",
        options.listen_host);
  }
  if (options.token.empty() && !options.tls &&
      !IsLoopback(options.listen_host)) {
    throw InvalidArgument(
        "[ConnectControlPlane] any process could join at {}: set a token, or "
        "TLS",
        options.listen_host);
  }
}

}  // namespace lockstep::control_internal
