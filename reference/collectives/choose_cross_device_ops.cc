#include "reference/collectives/choose_cross_device_ops.h"

#include <set>

#include "reference/collectives/gpu_collectives.h"
#include "reference/collectives/hierarchical_copy_all_reduce.h"
#include "reference/collectives/shared_memory_all_reduce.h"

namespace lockstep {

CrossDeviceOpsKind ChooseCrossDeviceOps(
    std::span<const int> gpus, const std::optional<NcclFeatures>& nccl) {
  const std::set<int> used(gpus.begin(), gpus.end());
  if (used.size() <= 1) return CrossDeviceOpsKind::kSharedMemory;
  const bool alone = used.size() == gpus.size();
  if (nccl && (alone || nccl->AllowsManyRanksPerGpu())) {
    return CrossDeviceOpsKind::kNccl;
  }
  return CrossDeviceOpsKind::kHierarchicalCopy;
}

std::shared_ptr<const CrossDeviceOps> MakeCrossDeviceOps(
    const std::vector<Device*>& devices) {
  if (devices[0]->on_host()) return std::make_shared<SharedMemoryAllReduce>();
  auto& collectives =
      collectives_internal::CurrentGpuCollectives("MirroredStrategy");
  std::vector<int> gpus;
  for (const Device* device : devices) {
    gpus.push_back(collectives.PhysicalGpu(*device));
  }
  switch (ChooseCrossDeviceOps(gpus, collectives.Nccl())) {
    case CrossDeviceOpsKind::kNccl:
      return collectives.MakeNccl(devices);
    case CrossDeviceOpsKind::kHierarchicalCopy:
      return std::make_shared<HierarchicalCopyAllReduce>();
    case CrossDeviceOpsKind::kSharedMemory:
      break;
  }
  return std::make_shared<SharedMemoryAllReduce>();
}

}  // namespace lockstep
