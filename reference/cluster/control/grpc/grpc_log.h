// What gRPC writes of its own goes to our log.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_GRPC_LOG_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_GRPC_LOG_H_

namespace lockstep::control_internal {

// From the first call on gRPC's errors are warnings of ours, and not lines of
// its own on stderr; of handshakes that fail it writes nothing, as the errors
// that we throw say it. Where GRPC_VERBOSITY is set, gRPC writes as that says.
void LogForGrpc();

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_GRPC_LOG_H_
