#include "reference/kernels/optimizer/learning_rate.h"

#include <algorithm>

#include "reference/base/check.h"
#include "reference/kernels/check_tensor.h"

namespace lockstep::kernels {
namespace {

void CheckStep(const char* operation, const Tensor& step) {
  kernels_internal::CheckDType(operation, "step", step, DType::kInt64);
  kernels_internal::CheckShape(operation, "step", step, Shape{});
}

}  // namespace

Tensor RateAt(const Tensor& step, const ExponentialRate& rate) {
  CheckStep("ExponentialDecay", step);
  if (OnGpu("ExponentialDecay", step))
    return gpu::ExponentialRateAt(step, rate);
  return Tensor::Scalar(rate.At(step.item<int64_t>()), step.device());
}

Tensor RateAt(const Tensor& step, std::span<const int64_t> boundaries,
              std::span<const double> values) {
  CheckStep("PiecewiseConstantDecay", step);
  LOCKSTEP_CHECK(values.size() == boundaries.size() + 1);
  if (OnGpu("PiecewiseConstantDecay", step)) {
    return gpu::PiecewiseRateAt(step, boundaries, values);
  }
  const auto boundary =
      std::ranges::lower_bound(boundaries, step.item<int64_t>());
  return Tensor::Scalar(values[boundary - boundaries.begin()], step.device());
}

}  // namespace lockstep::kernels
