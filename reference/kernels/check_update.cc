#include "reference/kernels/check_update.h"

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"

namespace lockstep::kernels_internal {

void CheckUpdate(std::string_view operation, const Tensor& first,
                 const Tensor& variable,
                 std::initializer_list<const Tensor*> others) {
  CheckFloating(operation, "variable", variable);
  CheckDType(operation, "variable", variable, first.dtype());
  kernels::OnGpu(operation, first, variable);
  for (const Tensor* other : others) {
    if (other == nullptr) continue;
    CheckAlike(operation, variable, *other);
    kernels::OnGpu(operation, first, *other);
  }
}

}  // namespace lockstep::kernels_internal
