#include "reference/kernels/optimizer/training_step.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/optimizer/optimizer_math.h"

namespace lockstep::kernels {
namespace {

void CheckNumber(std::string_view operation, std::string_view name,
                 const Tensor& number, DType dtype) {
  kernels_internal::CheckDType(operation, name, number, dtype);
  kernels_internal::CheckShape(operation, name, number, Shape{});
}

}  // namespace

bool IsOnGpu(std::string_view operation, const Tensor& variable,
             const TrainingStep& step) {
  CheckNumber(operation, "learning_rate", step.learning_rate, DType::kFloat64);
  CheckNumber(operation, "iterations", step.iterations, DType::kInt64);
  if (step.taken.defined()) {
    CheckNumber(operation, "taken", step.taken, DType::kBool);
  }
  return OnGpu(operation, variable, step.learning_rate, step.iterations,
               step.taken);
}

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

namespace {

// Whether the GPU is to do it.
bool OnOneGpu(const std::vector<Tensor>& gradients) {
  if (gradients.empty()) return false;
  for (const Tensor& gradient : gradients)
    OnGpu("Clip", gradients[0], gradient);
  return OnGpu("Clip", gradients[0]);
}

void CheckFloating(const Tensor& x) {
  if (x.dtype() == DType::kFloat32 || x.dtype() == DType::kFloat64) return;
  throw InvalidArgument("[Clip] gradients have float elements, got {}",
                        Describe(x));
}

// A new tensor of function(element) for each element.
template <typename Function>
Tensor Transformed(const Tensor& x, const Function& function) {
  CheckFloating(x);
  Tensor result = Tensor::Empty(x.shape(), x.dtype(), x.device());
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      std::ranges::transform(x.span<T>(), result.mutable_data<T>(), function);
    }
  });
  return result;
}

double SquaredLength(const Tensor& x) {
  double sum = 0;
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      for (T element : x.span<T>()) sum += double{element} * double{element};
    }
  });
  return sum;
}

Tensor Scaled(const Tensor& x, double factor) {
  return Transformed(x, [factor]<typename T>(T element) {
    return static_cast<T>(element * factor);
  });
}

}  // namespace

void ClipByNorm(std::vector<Tensor>& gradients, double norm) {
  if (OnOneGpu(gradients)) return gpu::ClipByNorm(gradients, norm);
  for (Tensor& gradient : gradients) {
    const double length = std::sqrt(SquaredLength(gradient));
    if (length > norm) gradient = Scaled(gradient, norm / length);
  }
}

void ClipByGlobalNorm(std::vector<Tensor>& gradients, double norm) {
  if (OnOneGpu(gradients)) return gpu::ClipByGlobalNorm(gradients, norm);
  double squared = 0;
  for (const Tensor& gradient : gradients) squared += SquaredLength(gradient);
  const double length = std::sqrt(squared);
  if (length <= norm) return;
  for (Tensor& gradient : gradients) {
    gradient = Scaled(gradient, norm / length);
  }
}

void ClipByValue(std::vector<Tensor>& gradients, double value) {
  for (const Tensor& gradient : gradients) CheckFloating(gradient);
  if (OnOneGpu(gradients)) return gpu::ClipByValue(gradients, value);
  for (Tensor& gradient : gradients) {
    gradient = Transformed(gradient, [value]<typename T>(T element) {
      return std::clamp(element, static_cast<T>(-value), static_cast<T>(value));
    });
  }
}

}  // namespace lockstep::kernels
