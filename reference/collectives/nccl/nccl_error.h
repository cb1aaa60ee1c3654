// NCCL's failures as typed errors.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ERROR_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ERROR_H_

#include <string>
#include <string_view>

#include "reference/base/error.h"
#include "reference/collectives/nccl/nccl_api.h"

namespace lockstep {

// "remote error".
std::string_view NcclStatusName(NcclStatus status);

// "2.28.9" for 22809.
std::string FormatNcclVersion(int version);

// Neither done nor under way.
constexpr bool IsNcclFailure(NcclStatus status) {
  return status != NcclStatus::kSuccess && status != NcclStatus::kInProgress;
}

// "[AllReduce] NCCL: remote error (<detail>)". A rank, machine or link that is
// gone is Unavailable; what a caller did wrong InvalidArgument; the rest
// Internal. REQUIRES: IsNcclFailure(status).
Error NcclFailure(std::string_view operation, NcclStatus status,
                  std::string_view detail);

// Throws NcclFailure for a failure.
void CheckNccl(std::string_view operation, NcclStatus status,
               std::string_view detail = "");

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ERROR_H_
