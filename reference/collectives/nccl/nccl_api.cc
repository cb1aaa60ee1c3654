#include "reference/collectives/nccl/nccl_api.h"

#include <cstdlib>
#include <map>
#include <string_view>

#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

Code CodeOf(NcclStatus status) {
  switch (status) {
    case NcclStatus::kSystemError:
    case NcclStatus::kRemoteError:
      return Code::kUnavailable;
    case NcclStatus::kInvalidArgument:
    case NcclStatus::kInvalidUsage:
      return Code::kInvalidArgument;
    default:
      return Code::kInternal;
  }
}

}  // namespace

std::string_view NcclStatusName(NcclStatus status) {
  switch (status) {
    case NcclStatus::kSuccess:
      return "success";
    case NcclStatus::kUnhandledCudaError:
      return "unhandled CUDA error";
    case NcclStatus::kSystemError:
      return "system error";
    case NcclStatus::kInternalError:
      return "internal error";
    case NcclStatus::kInvalidArgument:
      return "invalid argument";
    case NcclStatus::kInvalidUsage:
      return "invalid usage";
    case NcclStatus::kRemoteError:
      return "remote error";
    case NcclStatus::kInProgress:
      return "in progress";
  }
  return "unknown result";
}

std::string FormatNcclVersion(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100,
                     version % 100);
}

Error NcclFailure(std::string_view operation, NcclStatus status,
                  std::string_view detail) {
  LOCKSTEP_CHECK(IsNcclFailure(status));
  std::string message =
      fmt::format("[{}] NCCL: {}", operation, NcclStatusName(status));
  if (!detail.empty()) message += fmt::format(" ({})", detail);
  return Error(CodeOf(status), message);
}

void CheckNccl(std::string_view operation, NcclStatus status,
               std::string_view detail) {
  if (IsNcclFailure(status)) throw NcclFailure(operation, status, detail);
}

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

NcclUniqueId InProcessNcclIdExchange::Make(const MakeId& make) {
  std::optional<NcclUniqueId> id;
  try {
    id = make();
  } catch (...) {
    std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
    throw;
  }
  std::lock_guard lock(mutex_);
  id_ = id;
  changed_.notify_all();
  return *id;
}

NcclUniqueId InProcessNcclIdExchange::Exchange(
    bool root, const MakeId& make, std::chrono::milliseconds deadline) {
  if (root) return Make(make);
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, deadline,
                         [&] { return id_.has_value() || failed_; })) {
    throw DeadlineExceeded("[NcclIdExchange] no id from the root within {} ms",
                           deadline.count());
  }
  if (failed_) {
    throw Unavailable("[NcclIdExchange] the root failed to make the {}", "id");
  }
  return *id_;
}

}  // namespace lockstep
