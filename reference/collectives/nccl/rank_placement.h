// Which GPU each rank is on, and whether NCCL takes it so.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_RANK_PLACEMENT_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_RANK_PLACEMENT_H_

#include <span>

namespace lockstep {

// The NCCL that was loaded.
struct NcclFeatures {
  int version = 0;              // 22809 is 2.28.9
  bool multi_rank_gpu = false;  // NCCL_MULTI_RANK_GPU_ENABLE=1 is set

  // Several ranks may share a GPU: from 2.30 on, where it was enabled.
  bool AllowsManyRanksPerGpu() const {
    return version >= 23000 && multi_rank_gpu;
  }
};

// Whether the environment has NCCL_MULTI_RANK_GPU_ENABLE=1.
bool NcclMultiRankGpuEnabled();

// Errors: InvalidArgument when two ranks share a GPU and NCCL does not take it,
// with what would be needed. `gpus[rank]` is the physical GPU.
void CheckRankPlacement(std::span<const int> gpus, const NcclFeatures& nccl);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_RANK_PLACEMENT_H_
