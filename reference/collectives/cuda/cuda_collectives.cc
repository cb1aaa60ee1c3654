// Registers the GPUs' collectives.
#include <memory>
#include <vector>

#include "reference/collectives/cuda/queue_sum.h"
#include "reference/collectives/gpu_collectives.h"
#include "reference/collectives/nccl/nccl_all_reduce.h"
#include "reference/collectives/nccl/nccl_communicator.h"
#include "reference/collectives/nccl/nccl_library.h"
#include "reference/device/cuda/cuda_memory.h"

namespace lockstep::collectives_internal {
namespace {

class CudaCollectives final : public GpuCollectives {
 public:
  void Sum(const GpuSum& sum) override { cuda::QueueSum(sum); }

  int PhysicalGpu(const Device& device) override {
    return CudaMemory::Of(device).gpu();
  }

  std::optional<NcclFeatures> Nccl() override {
    return NcclFeatures{.version = NcclLibrary().Version(),
                        .multi_rank_gpu = NcclMultiRankGpuEnabled()};
  }

  std::shared_ptr<const CrossDeviceOps> MakeNccl(
      const std::vector<Device*>& devices) override {
    std::vector<NcclMember> members;
    for (const Device* device : devices) {
      const int rank = static_cast<int>(members.size());
      members.push_back({.rank = rank, .gpu = PhysicalGpu(*device)});
    }
    InProcessNcclIdExchange exchange;
    auto communicator = std::make_unique<NcclCommunicator>(
        NcclLibrary(), static_cast<int>(members.size()), members, exchange);
    return std::make_shared<NcclAllReduce>(
        std::move(communicator), devices,
        [](const Device& device, DeviceQueue queue) {
          return StreamOf(device, queue);
        });
  }
};

[[maybe_unused]] const bool registered = [] {
  SetGpuCollectives(new CudaCollectives);
  return true;
}();

}  // namespace
}  // namespace lockstep::collectives_internal
