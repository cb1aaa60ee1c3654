#include "reference/kernels/follow_step.h"

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/loss_scale_math.h"

namespace lockstep::kernels {
namespace {

void CheckScalar(const char* name, const Tensor& scalar, DType dtype) {
  kernels_internal::CheckDType("FollowStep", name, scalar, dtype);
  kernels_internal::CheckShape("FollowStep", name, scalar, Shape{});
}

}  // namespace

void FollowStep(const Tensor& finite, int64_t growth_steps, Tensor& scale,
                Tensor& finite_steps) {
  CheckScalar("finite", finite, DType::kBool);
  CheckScalar("scale", scale, DType::kFloat32);
  CheckScalar("finite_steps", finite_steps, DType::kInt64);
  if (OnGpu("FollowStep", finite, scale, finite_steps)) {
    return gpu::FollowStep(finite, growth_steps, scale, finite_steps);
  }
  kernels_internal::FollowStep(finite.item<bool>(), growth_steps,
                               *scale.mutable_data<float>(),
                               *finite_steps.mutable_data<int64_t>());
}

}  // namespace lockstep::kernels
