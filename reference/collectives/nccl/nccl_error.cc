#include "reference/collectives/nccl/nccl_error.h"

#include "reference/base/check.h"

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

}  // namespace lockstep
