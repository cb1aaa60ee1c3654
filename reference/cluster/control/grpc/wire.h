// What both ends of the control plane's stream share.
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

// A key of the call's metadata. The suffix -bin allows a token of any bytes.
inline constexpr char kTokenKey[] = "lockstep-token-bin";

// Conversions between failures and messages. An unknown code is Internal.
grpc::Status ToStatus(const Error& error);
Code FromStatusCode(int code);
control::Failing ToMessage(const Failure& failure);
Failure FromMessage(const control::Failing& failing);

// Compares in constant time.
bool IsSameToken(std::string_view got, std::string_view wanted);

// Channel and server arguments with which each end notices that the other has
// stopped.
std::vector<std::pair<std::string, int>> KeepAliveArguments(
    const ControlPlaneOptions& options);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WIRE_H_
