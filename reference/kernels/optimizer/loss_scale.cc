#include "reference/kernels/optimizer/loss_scale.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/base/check.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/optimizer/optimizer_math.h"

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

void CheckScalar(const char* name, const Tensor& scalar, DType dtype) {
  kernels_internal::CheckDType("UpdateLossScale", name, scalar, dtype);
  kernels_internal::CheckShape("UpdateLossScale", name, scalar, Shape{});
}

}  // namespace

Tensor AllFinite(const std::vector<Tensor>& tensors) {
  LOCKSTEP_CHECK(!tensors.empty());
  for (const Tensor& tensor : tensors) OnGpu("AllFinite", tensors[0], tensor);
  if (OnGpu("AllFinite", tensors[0])) return gpu::AllFinite(tensors);
  return Tensor::Scalar(std::ranges::all_of(tensors, IsFinite),
                        tensors[0].device());
}

void UpdateLossScale(const Tensor& finite, int64_t growth_steps, Tensor& scale,
                     Tensor& finite_steps) {
  CheckScalar("finite", finite, DType::kBool);
  CheckScalar("scale", scale, DType::kFloat32);
  CheckScalar("finite_steps", finite_steps, DType::kInt64);
  if (OnGpu("UpdateLossScale", finite, scale, finite_steps)) {
    return gpu::UpdateLossScale(finite, growth_steps, scale, finite_steps);
  }
  kernels_internal::UpdateLossScale(finite.item<bool>(), growth_steps,
                                    *scale.mutable_data<float>(),
                                    *finite_steps.mutable_data<int64_t>());
}

}  // namespace lockstep::kernels
