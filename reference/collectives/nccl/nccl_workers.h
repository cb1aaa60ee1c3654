// NCCL between workers, one rank per worker: sums tensors on their first GPUs.
//
//   // In each worker's process:
//   ControlPlaneNcclIdExchange exchange(*control);
//   auto communicator = std::make_unique<NcclCommunicator>(
//       NcclLibrary(), control->num_workers(),
//       {{.rank = control->worker().value(), .gpu = 0}}, exchange, options);
//   NcclSums sums(std::move(communicator),
//                 {control->worker().value(), device, stream_of});
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_WORKERS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_WORKERS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/mesh/gpu_sums.h"
#include "reference/collectives/nccl/nccl_communicator.h"
#include "reference/collectives/nccl/nccl_rank.h"

namespace lockstep {

// Among workers: sends the id over the control plane, which knows the workers.
class ControlPlaneNcclIdExchange final : public NcclIdExchange {
 public:
  // REQUIRES: `control` outlives this object.
  explicit ControlPlaneNcclIdExchange(ControlPlane& control)
      : control_(control) {}

  // Also an error: those of the control plane. REQUIRES: worker 0 is the root.
  NcclUniqueId Exchange(bool root, const MakeId& make,
                        std::chrono::milliseconds deadline) override;

 private:
  ControlPlane& control_;
};

class NcclSums final : public collectives_internal::GpuSums {
 public:
  // REQUIRES: the communicator's only member is this rank, on its GPU.
  NcclSums(std::unique_ptr<NcclCommunicator> communicator, NcclRank rank)
      : communicator_(std::move(communicator)), rank_(std::move(rank)) {}

  std::string_view algorithm() const override { return "NcclAllReduce"; }
  // Also an error: InvalidArgument for tensors on another device.
  void Sum(const TensorList& values, TensorList& sums,
           const std::function<void()>& check) override;

 private:
  const std::unique_ptr<NcclCommunicator> communicator_;
  const NcclRank rank_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_WORKERS_H_
