#include "reference/kernels/all_finite.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/base/check.h"
#include "reference/kernels/device_kernel.h"

namespace lockstep::kernels {
namespace {

bool IsFinite(const Tensor& tensor) {
  return VisitDType(tensor.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      return std::ranges::all_of(tensor.span<T>(),
                                 [](T x) { return std::isfinite(x); });
    } else {
      return true;
    }
  });
}

}  // namespace

Tensor AllFinite(const std::vector<Tensor>& tensors) {
  LOCKSTEP_CHECK(!tensors.empty());
  for (const Tensor& tensor : tensors) OnGpu("AllFinite", tensors[0], tensor);
  if (OnGpu("AllFinite", tensors[0])) return gpu::AllFinite(tensors);
  return Tensor::Scalar(std::ranges::all_of(tensors, IsFinite),
                        tensors[0].device());
}

}  // namespace lockstep::kernels
