// Groups whose ranks are workers, through Gloo: TCP between processes.
//
//   std::unique_ptr<Group> group = MakeGlooGroup(*control, {});  // on all
//   group->AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//
// One rank per worker; its tensors are on CPUs, those of GPUs are Unimplemented
// on all ranks. How it agrees and adds up: mesh_group.h.
//
// Gloo encrypts nothing, so use a private network, or the default within one
// machine. Until all are connected, a worker listens on the one interface that
// is named here, and sends processes away that do not know the secrets which
// the workers exchanged over the control plane.
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
  // Of this machine, where the other workers reach it: a name or an address.
  std::string address = "127.0.0.1";
  // Used in place of the address where it is not empty: "eth0".
  std::string interface_name = "";
  // How long the workers take at most to find and to connect each other.
  std::chrono::milliseconds connect_limit = std::chrono::seconds(30);
  // How long a worker waits, when all have come to a collective, for one that
  // sends nothing: then DeadlineExceeded for all.
  std::chrono::milliseconds stall_limit = std::chrono::seconds(10);
  // How long a group that ends waits for the others to end theirs.
  std::chrono::milliseconds leave_limit = std::chrono::seconds(1);
};

// All workers call it together. What the control plane fails by, the group
// fails by. Errors: InvalidArgument for an address or interface that is not
// this machine's, NotFound for a name that does not resolve, on all workers;
// FailedPrecondition for programs that do not fit together; Unavailable when
// they cannot connect; those of the control plane. REQUIRES: it outlives the
// group.
//
// Tensors of GPUs are refused without `gpu_sums` (mesh/gpu_sums.h).
std::unique_ptr<Group> MakeGlooGroup(
    ControlPlane& control, const GlooOptions& options,
    std::shared_ptr<collectives_internal::GpuSums> gpu_sums = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_GROUP_H_
