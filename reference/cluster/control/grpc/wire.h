// What both ends of the control plane's stream have in common.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WIRE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WIRE_H_

#include <grpcpp/grpcpp.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/control/grpc/control.pb.h"
#include "reference/cluster/control/worker_link.h"

namespace lockstep::control_internal {

// Of the call's metadata; binary, so that a token may have any bytes.
inline constexpr char kTokenKey[] = "lockstep-token-bin";

// A failure on its way, and back. A code that is unknown is Internal.
grpc::Status ToStatus(const Error& error);
Code FromStatusCode(int code);
control::Failing ToMessage(const Failure& failure);
Failure FromMessage(const control::Failing& failing);

// Takes as long for a token that is nearly right as for any other.
bool IsSameToken(std::string_view got, std::string_view wanted);

// Arguments of channels and servers, by which each end notices that the other
// has stopped.
std::vector<std::pair<std::string, int>> KeepAliveArguments(
    const ControlPlaneOptions& options);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WIRE_H_
