// Sums of GPU tensors between processes. NCCL is the implementation
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

  // Sums all ranks' values, which have the same dtypes and shapes, on the
  // rank's device. It returns when the sums are complete, so no rank continues
  // with sums that another rank's failure cut off. Calls `check` meanwhile; its
  // exception ends the call. Errors: also Unavailable, DeadlineExceeded and
  // Internal; after any error it must not be called again.
  virtual void Sum(const TensorList& values, TensorList& sums,
                   const std::function<void()>& check) = 0;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_GPU_SUMS_H_
