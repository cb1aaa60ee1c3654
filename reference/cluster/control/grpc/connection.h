// What every connection between the processes of a job has, whatever it carries.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONNECTION_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONNECTION_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <string_view>

#include "reference/base/error.h"
#include "reference/cluster/control/control_plane_options.h"

namespace lockstep::control_internal {

// A key of the call's metadata. The suffix -bin allows a token of any bytes.
inline constexpr char kTokenKey[] = "lockstep-token-bin";

// Conversions between codes. An unknown one is Internal.
grpc::StatusCode ToStatusCode(Code code);
Code FromStatusCode(int code);
grpc::Status ToStatus(const Error& error);

// Empty if the call has no such metadata.
std::string FindMetadata(const grpc::CallbackServerContext& call,
                         const char* key);
// Compares in constant time. False for a call without a token.
bool HasToken(const grpc::CallbackServerContext& call, std::string_view wanted);

// Heartbeats, and limits of what a stranger can make the server keep.
void SetArguments(const ControlPlaneOptions& options,
                  grpc::ServerBuilder& builder);
// A separate connection, with heartbeats.
std::shared_ptr<grpc::Channel> MakeChannel(
    const WorkerAddress& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const ControlPlaneOptions& options);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONNECTION_H_
