// Redirects gRPC's log to ours.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_GRPC_LOG_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_GRPC_LOG_H_

namespace lockstep::control_internal {

// From the first call on, gRPC's errors become warnings in our log instead of
// lines on stderr. Failed handshakes are left out, because our errors report
// them. If GRPC_VERBOSITY is set, gRPC logs as that says.
void LogForGrpc();

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_GRPC_LOG_H_
