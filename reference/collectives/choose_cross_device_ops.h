// Which all-reduce a strategy uses when its user names none.
//
// | replicas on                        | all-reduce                           |
// |------------------------------------|--------------------------------------|
// | CPUs                               | SharedMemoryAllReduce                |
// | logical devices of one GPU         | SharedMemoryAllReduce, on the GPU    |
// | one GPU each                       | NCCL                                 |
// | several GPUs, some of them shared  | NCCL from 2.30 on with               |
// |                                    | NCCL_MULTI_RANK_GPU_ENABLE=1, else   |
// |                                    | HierarchicalCopyAllReduce            |
// | GPUs in a program without NCCL     | HierarchicalCopyAllReduce            |
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_CHOOSE_CROSS_DEVICE_OPS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_CHOOSE_CROSS_DEVICE_OPS_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/nccl/rank_placement.h"
#include "reference/device/device.h"

namespace lockstep {

enum class CrossDeviceOpsKind { kSharedMemory, kHierarchicalCopy, kNccl };

// gpus[replica] is the physical GPU of each; empty for CPUs.
CrossDeviceOpsKind ChooseCrossDeviceOps(
    std::span<const int> gpus, const std::optional<NcclFeatures>& nccl);

// The one chosen for these devices, one a replica. Errors: those of making an
// NCCL communicator; Unimplemented for GPUs without a backend.
// REQUIRES: devices of one kind, at least one.
std::shared_ptr<const CrossDeviceOps> MakeCrossDeviceOps(
    const std::vector<Device*>& devices);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_CHOOSE_CROSS_DEVICE_OPS_H_
