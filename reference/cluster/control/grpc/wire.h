// Conversions between the control plane's failures and its messages.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WIRE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WIRE_H_

#include "reference/cluster/control/grpc/control.pb.h"
#include "reference/cluster/control/worker_link.h"

namespace lockstep::control_internal {

control::Failing ToMessage(const Failure& failure);
Failure FromMessage(const control::Failing& failing);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_WIRE_H_
