// How GPUs' tensors are added up between processes, where there is a way: NCCL's
// (nccl/nccl_workers.h).
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_GPU_SUMS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_GPU_SUMS_H_

#include <functional>
#include <string_view>

#include "reference/collectives/group.h"

namespace lockstep::collectives_internal {

class GpuSums {
 public:
  virtual ~GpuSums() = default;

  // "NcclAllReduce".
  virtual std::string_view algorithm() const = 0;

  // The sums of what all ranks have, which all are in this call with the same
  // types and shapes, on the rank's device. Done when it returns, so that no
  // rank goes on with sums that another's end has cut off. `check` is asked
  // meanwhile, and what it throws ends the call. Errors: also Unavailable,
  // DeadlineExceeded and Internal; after any error nothing can be summed.
  virtual void Sum(const TensorList& values, TensorList& sums,
                   const std::function<void()>& check) = 0;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_GPU_SUMS_H_
