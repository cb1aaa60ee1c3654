#include "reference/kernels/assign_where.h"

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"

namespace lockstep::kernels {

void AssignWhere(const Tensor& condition, Tensor& target, const Tensor& value) {
  kernels_internal::CheckAlike("AssignWhere", target, value);
  if (target.dtype() == DType::kString || condition.dtype() != DType::kBool ||
      condition.num_elements() != 1) {
    throw InvalidArgument(
        "[AssignWhere] wants numbers and one bool, got {}, {}",
        Describe(target), Describe(condition));
  }
  if (OnGpu("AssignWhere", target, value, condition)) {
    return gpu::AssignWhere(condition, target, value);
  }
  if (condition.item<bool>()) target.CopyFrom(value);
}

}  // namespace lockstep::kernels
