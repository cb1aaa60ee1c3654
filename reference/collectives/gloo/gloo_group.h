// Groups whose ranks are workers, over Gloo: TCP between processes.
//
//   std::unique_ptr<Group> group = MakeGlooGroup(*control, {});  // on all
//   group->AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//
// One rank per worker. Tensors are on CPUs; those of GPUs are Unimplemented on
// all ranks. mesh_group.h has the algorithms.
//
// Gloo encrypts nothing, so use a private network, or the default within one
// machine. Until all workers are connected, each listens on the one interface
// that is named here, and refuses processes that do not know the secrets which
// the workers have exchanged over the control plane.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_GROUP_H_

#include <chrono>
#include <memory>
#include <string>

#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/group.h"

namespace lockstep::collectives_internal {
class GpuSums;
}  // namespace lockstep::collectives_internal

namespace lockstep {

struct GlooOptions {
  // This machine's name or address, as the other workers reach it.
  std::string address = "127.0.0.1";
  // Used in place of the address if it is not empty: "eth0".
  std::string interface_name = "";
  // How long the workers may take to find and connect each other.
  std::chrono::milliseconds connect_limit = std::chrono::seconds(30);
  // How long a worker waits, once all have come to a collective, for one that
  // sends nothing. Then all get DeadlineExceeded.
  std::chrono::milliseconds stall_limit = std::chrono::seconds(10);
  // How long a destroyed group waits for the others to end theirs.
  std::chrono::milliseconds leave_limit = std::chrono::seconds(1);
};

// All workers call it together. A failure of the control plane fails the group.
// Errors, on all workers: InvalidArgument for an address or interface that is
// not this machine's, NotFound for a name that does not resolve;
// FailedPrecondition for incompatible programs; Unavailable if they cannot
// connect; those of the control plane. REQUIRES: the control plane outlives the
// group.
//
// Without `gpu_sums` (mesh/gpu_sums.h) tensors of GPUs are refused.
std::unique_ptr<Group> MakeGlooGroup(
    ControlPlane& control, const GlooOptions& options,
    std::shared_ptr<collectives_internal::GpuSums> gpu_sums = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_GROUP_H_
