// Where checkpoints are saved and restored.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_OUTSIDE_RUN_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_OUTSIDE_RUN_H_

#include <string_view>

#include "reference/autodiff/distribution_context.h"

namespace lockstep::checkpoint_internal {

// Inside Run every replica's thread would do it, with the same files and the
// same counter. Errors: FailedPrecondition there.
inline void CheckOutsideRun(std::string_view operation) {
  DistributionContext::Current().CheckOutsideRun(
      operation, "call it outside Run, or on a replica in a MergeCall");
}

}  // namespace lockstep::checkpoint_internal

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_OUTSIDE_RUN_H_
