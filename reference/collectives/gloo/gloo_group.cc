#include "reference/collectives/gloo/gloo_group.h"

#include "reference/collectives/gloo/gloo_connection.h"
#include "reference/collectives/gloo/gloo_mesh.h"
#include "reference/collectives/mesh/mesh_group.h"

namespace lockstep {

std::unique_ptr<Group> MakeGlooGroup(
    ControlPlane& control, const GlooOptions& options,
    std::shared_ptr<collectives_internal::GpuSums> gpu_sums) {
  using namespace collectives_internal;  // NOLINT: all of it is
  return std::make_unique<MeshGroup>(
      std::make_unique<GlooMesh>(ConnectGloo(control, options), control),
      MeshGroupOptions{.stall_limit = options.stall_limit,
                       .leave_limit = options.leave_limit,
                       .gpu_sums = std::move(gpu_sums)});
}

}  // namespace lockstep
