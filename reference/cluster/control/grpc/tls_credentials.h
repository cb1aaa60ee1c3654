// Certificates of connections.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_TLS_CREDENTIALS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_TLS_CREDENTIALS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <optional>

#include "reference/cluster/control/control_plane_options.h"

namespace lockstep::control_internal {

// Plaintext without files. Both throw NotFound for a missing file, and
// InvalidArgument for a file that is not a certificate or key, or a key of
// another certificate.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const std::optional<TlsFiles>& files);
std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(
    const std::optional<TlsFiles>& files);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_TLS_CREDENTIALS_H_
