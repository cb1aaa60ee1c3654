#include "reference/collectives/nccl/rank_placement.h"

#include <cstdlib>
#include <map>
#include <string_view>

#include "reference/base/error.h"
#include "reference/collectives/nccl/nccl_error.h"

namespace lockstep {

bool NcclMultiRankGpuEnabled() {
  const char* value = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return value != nullptr && std::string_view(value) == "1";
}

void CheckRankPlacement(std::span<const int> gpus, const NcclFeatures& nccl) {
  if (nccl.AllowsManyRanksPerGpu()) return;
  std::map<int, size_t> first_on;
  for (size_t rank = 0; rank < gpus.size(); ++rank) {
    const auto [first, alone] = first_on.emplace(gpus[rank], rank);
    if (alone) continue;
    throw InvalidArgument(
        "[NcclCommunicator] ranks {} and {} are both on GPU {}; wanted one "
        "rank "
        "a GPU, or NCCL 2.30 or later with NCCL_MULTI_RANK_GPU_ENABLE=1, got "
        "NCCL {} with it {}",
        first->second, rank, gpus[rank], FormatNcclVersion(nccl.version),
        nccl.multi_rank_gpu ? "set" : "not set");
  }
}

}  // namespace lockstep
