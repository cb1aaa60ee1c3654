// Tries to open a stream until the other process listens.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_ATTEMPTS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_ATTEMPTS_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>

#include "reference/base/deadline.h"

namespace lockstep::control_internal {

// For messages: "ConnectControlPlane", "worker 0 (a:1)".
struct Attempted {
  std::string operation;
  std::string peer;
};

// Calls `attempt` until it succeeds: at once after a first failure, then with
// growing pauses. An attempt opens a stream, and returns Unavailable, with an
// empty message, if there was no answer by the deadline. Errors:
// DeadlineExceeded; NotFound if the name does not resolve; Unauthenticated if
// one of the two does not trust the other's certificate; any status that is
// neither Unavailable nor Cancelled.
void TryUntil(Deadline deadline, const Attempted& what,
              const std::function<grpc::Status()>& attempt);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_ATTEMPTS_H_
